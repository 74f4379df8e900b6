/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration: the values of config.tbl.h in effect. It is read from the environment at the
 * first MPI call or first use of OpenMP and not when the library is loaded, so that nothing is said
 * in processes without them, and read once: what the program does to its environment afterwards
 * changes nothing.
 */
#ifndef HYB_CORE_CONFIG_CONFIG_H
#define HYB_CORE_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sys/compiler.h"
#include "core/sys/log.h"

enum hyb_full { HYB_FULL_STOP, HYB_FULL_RING };
enum hyb_mode { HYB_MODE_TRACE, HYB_MODE_PROFILE, HYB_MODE_BOTH };

enum hyb_order_wish { HYB_ORDER_WISH_NO, HYB_ORDER_WISH_YES, HYB_ORDER_WISH_ONLY };

enum hyb_replay_at_end { HYB_REPLAY_RUNS, HYB_REPLAY_STOPS, HYB_REPLAY_ABORTS };


enum hyb_kernel { HYB_KERNEL_OFF, HYB_KERNEL_AUTO, HYB_KERNEL_SELF, HYB_KERNEL_PERF, HYB_KERNEL_BPF };

enum hyb_kernel_tasks { HYB_KERNEL_JOB, HYB_KERNEL_ALL };

enum hyb_kernel_profile { HYB_KERNEL_PROFILE_NO, HYB_KERNEL_PROFILE_YES, HYB_KERNEL_PROFILE_ONLY };

enum hyb_kernel_group {		/* bits of HYBMON_KERNEL_EVENTS */
	HYB_KERNEL_SCHED = 1, HYB_KERNEL_FAULT = 2, HYB_KERNEL_SIGNAL = 4, HYB_KERNEL_SYSCALL = 8,
	HYB_KERNEL_IRQ = 16, HYB_KERNEL_NET = 32, HYB_KERNEL_BLOCK = 64, HYB_KERNEL_CALLCHAIN = 128,
};

enum hyb_user_group {		/* bits of HYBMON_USER */
	HYB_USER_REGION = 1, HYB_USER_PARAMETER = 2, HYB_USER_COUNTER = 4, HYB_USER_FUNCTION = 8,
};

enum hyb_mpi_poll { HYB_MPI_POLL_FOLD, HYB_MPI_POLL_ALL };

struct hyb_config {
	bool enable;
	bool record;			/* at the start */
	enum hyb_order_wish order;
	bool order_time;		/* values of MPI_Wtime and other clocks belong to it */
	const char *replay;		/* file that hybmon replay made; empty: this is none */
	enum hyb_replay_at_end replay_at_end;
	const char *replay_gdb;		/* ranks that wait for a debugger; empty: none */
	bool sync;			/* clocks of nodes are compared by messages of our own */
	uint64_t noise;			/* 0: calls are not delayed */
	uint64_t noise_max;		/* microseconds */
	uint32_t mpi;			/* groups to record: 1 << enum hyb_group */
	uint32_t omp;			/* groups of OpenMP events: bits as in ompt/tool.c */
	uint32_t user;			/* enum hyb_user_group */
	const char *filter;		/* a file; empty: there is none */
	bool pcontrol;			/* MPI_Pcontrol switches recording */
	const char *trace_dir;		/* paths are never NULL; empty: not given */
	const char *spool;
	const char *adapter_dir;
	const char *kernel_service;	/* path of its socket; empty: it is not asked */
	uint64_t findings;		/* for hybmon run: of recordings of so many bytes at most */
	const char *run;		/* key of the run that hybmon run began */
	uint64_t chunk;			/* bytes, whole pages */
	uint64_t ring;			/* bytes per thread, 0: the stream grows */
	enum hyb_full full;
	enum hyb_mode mode;
	enum hyb_mpi_poll mpi_poll;
	bool callsite;			/* calls are recorded with where they were called */
	uint64_t callstack;		/* frames that are recorded; 0: none */
	enum hyb_log_level verbose;
	const char *counters;		/* names */
	uint32_t counters_at;		/* enum hyb_counted */
	bool counters_multiplex;
	enum hyb_kernel kernel;
	uint32_t kernel_events;		/* enum hyb_kernel_group */
	enum hyb_kernel_tasks kernel_tasks;
	enum hyb_kernel_profile kernel_profile;
	uint64_t kernel_buffer;		/* bytes for each CPU */
	uint64_t kernel_wait;		/* milliseconds that a process waits for its collector; 0: it does not */
	const char *sample;		/* as core/config/sample-option.h reads it; empty: no samples */
	uint64_t sample_stack;		/* bytes of the stack in each sample */
};

/* All zero until hyb_config_load() has come back. */
extern HYB_EXPORT struct hyb_config hyb_config;

/*
 * Reads the environment, the first time it is called, and warns of what is wrong in it.
 * Thread-safe: comes back when the values are there. Keeps errno. In a set-uid program the
 * environment is not the user's to decide on: all of it is ignored and `enable` is false.
 */
void hyb_config_load(void);

enum hyb_config_source {
	HYB_CONFIG_DEFAULT,
	HYB_CONFIG_ENVIRONMENT,
	HYB_CONFIG_CLAMPED,		/* given, but outside its range: the nearest value holds */
	HYB_CONFIG_WRONG,		/* given, but not understood: the default holds */
};

/* One variable as hyb_config_each() shows it. */
struct hyb_config_item {
	const char *name;		/* HYBMON_... */
	const char *kind;		/* "yes or no", "size", "word", "words", "path", "text" */
	const char *fallback;		/* the default, as text */
	const char *range;
	const char *help;
	const char *value;		/* in effect, as text; lives as long as the call */
	const char *given;		/* as it stood in the environment, NULL: not set */
	enum hyb_config_source source;
};

/* Calls visit for every variable in the order of the table; after hyb_config_load(). */
void hyb_config_each(void (*visit)(const struct hyb_config_item *item, void *context),
		     void *context);

/*
 * Word number n of an ENUM's range, or the one of bit n of a SET; name: without HYBMON_. "" where there is none. It is
 * put into text, which is returned.
 */
#define HYB_CONFIG_WORD 32
const char *hyb_config_word(const char *name, unsigned int n, char text[HYB_CONFIG_WORD]);

/*
 * For "did you mean": true if `word` is like `text` and more so than what came before; *best, at
 * first UINT_MAX, is then lowered. Letters are compared without case.
 */
bool hyb_config_closer(const char *text, size_t length, const char *word, size_t word_length,
		       unsigned int *best);

#endif
