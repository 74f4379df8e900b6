/* SPDX-License-Identifier: BSD-3-Clause */
/* What of PAPI 7's interface hybmon uses, declared here so that it is built without PAPI. */
#ifndef HYB_CORE_COUNTERS_PAPI_LIBRARY_H
#define HYB_CORE_COUNTERS_PAPI_LIBRARY_H

#include <stdbool.h>

#define HYB_PAPI_MAJOR		7
#define HYB_PAPI_OK		0
#define HYB_PAPI_ECNFLCT	(-8)
#define HYB_PAPI_NULL		(-1)
#define HYB_PAPI_LIB_VERSION	21
#define HYB_PAPI_ENUM_EVENTS	0
#define HYB_PAPI_ENUM_FIRST	1
#define HYB_PAPI_PRESET		0x80000000u
#define HYB_PAPI_NATIVE		0x40000000u

struct hyb_papi_info {
	unsigned int code;
	char symbol[1024];
	char brief[64];
	char description[1024];
	int component;
	char units[64];
	int location;
	int data_type;		/* 0 int64, 1 uint64, 2 double */
	int value_type;		/* 0: a sum */
	int timescope;
	int update_type;
	int update_frequency;
	unsigned int count;
	unsigned int type;
	char derived[64];
	char postfix[256];
	unsigned int codes[12];
	char names[12][256];
	char rest[8192];	/* of this version and later ones */
};

struct hyb_papi_component {	/* its first members */
	char name[128];
	char brief[64];
	char description[128];
	char version[64];
	char support[64];
	char kernel[64];
	char disabled_reason[1024];
	int disabled;
};

struct hyb_papi_library {
	int (*is_initialized)(void);
	int (*get_opt)(int option, void *value);
	int (*library_init)(int version);
	void (*shutdown)(void);
	char *(*strerror)(int err);
	int (*name_to_code)(const char *name, int *code);
	int (*code_to_name)(int code, char *name);
	int (*event_info)(int code, struct hyb_papi_info *info);
	int (*components)(void);
	const struct hyb_papi_component *(*component)(int number);
	int (*enumerate)(int *code, int modifier, int component);
	int (*enumerate_presets)(int *code, int modifier);
	int (*thread_init)(unsigned long (*self)(void));
	int (*create)(int *set);
	int (*add)(int set, const char *name);
	int (*start)(int set);
	int (*read)(int set, long long *values);
	int (*stop)(int set, long long *values);
	int (*cleanup)(int set);
	int (*destroy)(int *set);
};

extern struct hyb_papi_library hyb_papi_library;

/* Loads it and begins to use it, the first time. NULL, or why not. */
const char *hyb_papi_load(void);
/* Whether the program has loaded it, too, and so may count with it. */
bool hyb_papi_is_programs(void);
/* Gives it up, if nothing is counted by it and the program did not use it before. */
void hyb_papi_unload(void);

#endif
