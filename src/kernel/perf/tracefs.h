/* SPDX-License-Identifier: BSD-3-Clause */
/* Tracepoints as tracefs describes them: their numbers, and where the fields lie in their records. */
#ifndef HYB_KERNEL_PERF_TRACEFS_H
#define HYB_KERNEL_PERF_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HYB_TRACEFS_FIELDS 6

struct hyb_field {
	uint16_t offset;
	uint16_t size;		/* 0: this kernel's tracepoint does not have it */
	bool is_signed;
	bool is_location;	/* __data_loc: 4 bytes that say where the text is */
};

struct hyb_tracepoint {
	uint32_t id;
	struct hyb_field fields[HYB_TRACEFS_FIELDS];
};

/*
 * Finds tracefs where it is mounted, else has it for this process alone, which takes CAP_SYS_ADMIN. 0 or -errno:
 * -ENOENT it is not mounted, -EACCES it may not be read.
 */
int hyb_tracefs_open(void);
void hyb_tracefs_close(void);
/*
 * Reads a tracepoint's description now: as soon as one is kept, what was kept is all that hyb_tracefs_read finds, also
 * without hyb_tracefs_open, by whoever may not read it himself. name: system/event, which stays.
 */
void hyb_tracefs_keep(const char *name);
/*
 * Reads a tracepoint's description. name: system/event; fields: their names, up to HYB_TRACEFS_FIELDS and NULL behind
 * the last. 0; -ENOENT: this kernel lacks the tracepoint; another -errno. Fields that are missing have size 0.
 */
int hyb_tracefs_read(const char *name, const char *const *fields, struct hyb_tracepoint *tracepoint);
/* The same of text that such a file has, for tests. */
int hyb_tracefs_parse(const char *text, const char *const *fields, struct hyb_tracepoint *tracepoint);

/* A field's value. raw: the record, which has at least `size` bytes; 0 where it does not reach. */
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

/* A field that is text, in place or by its location; NULL where there is none. Ends within the record. */
const char *hyb_field_text(const struct hyb_field *f, const void *raw, uint32_t size);

#endif
