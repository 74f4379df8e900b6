/* SPDX-License-Identifier: BSD-3-Clause */
/* Tracepoints as tracefs describes them: their numbers, and where the fields are in their records. */
#ifndef HYB_COLLECTOR_PERF_TRACEFS_H
#define HYB_COLLECTOR_PERF_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HYB_TRACEFS_FIELDS 6

struct hyb_field {
	uint16_t offset;
	uint16_t size;		/* 0: the tracepoint of this kernel does not have the field */
	bool is_signed;
	bool is_location;	/* __data_loc: 4 bytes that say where the text is */
};

struct hyb_tracepoint {
	uint32_t id;
	struct hyb_field fields[HYB_TRACEFS_FIELDS];
};

/*
 * Finds where tracefs is mounted; otherwise mounts it for this process alone, which needs CAP_SYS_ADMIN. 0; -ENOENT: it
 * is not mounted; -EACCES: it may not be read.
 */
int hyb_tracefs_open(void);
void hyb_tracefs_close(void);
/*
 * Reads a tracepoint's description and keeps it, also for processes that are forked later. As soon as one is kept,
 * hyb_tracefs_read finds only those that are kept, and needs no tracefs. name: system/event; it has to stay valid.
 */
void hyb_tracefs_keep(const char *name);
/*
 * Reads a tracepoint's description. name: system/event; fields: up to HYB_TRACEFS_FIELDS names, then NULL. A field that
 * is missing has size 0. 0; -ENOENT: this kernel lacks the tracepoint; another -errno.
 */
int hyb_tracefs_read(const char *name, const char *const *fields, struct hyb_tracepoint *tracepoint);
/* The same from the text of a description. */
int hyb_tracefs_parse(const char *text, const char *const *fields, struct hyb_tracepoint *tracepoint);

/* A field's value. raw: the record, of `size` bytes. 0: the field is not in it. */
static inline int64_t hyb_field_get(const struct hyb_field *f, const void *raw, uint32_t size)
{
	const unsigned char *at = (const unsigned char *)raw + f->offset;
	uint64_t v = 0;

	if ((uint32_t)f->offset + f->size > size)
		return 0;
	switch (f->size) {
	case 1:
		return f->is_signed ? (int8_t)*at : *at;
	case 2:
		memcpy(&v, at, 2);
		return f->is_signed ? (int16_t)v : (int64_t)v;
	case 4:
		memcpy(&v, at, 4);
		return f->is_signed ? (int32_t)v : (int64_t)v;
	case 8:
		memcpy(&v, at, 8);
		return (int64_t)v;
	}
	return 0;
}

/* A field that is text, in place or by its location. It ends within the record. NULL: there is none. */
const char *hyb_field_text(const struct hyb_field *f, const void *raw, uint32_t size);

#endif
