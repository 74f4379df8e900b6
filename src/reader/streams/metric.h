/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters: what they and the sets of them are that a process defined, and the values in METRIC records. Those are
 * differences, so whoever wants values reads all METRICs of a stream, by one struct hyb_metric_reader. For example:
 *
 *	struct hyb_metric_reader metrics = { NULL };
 *
 *	while (hyb_reader_next(reader, &event) > 0)
 *		if (event.type == HYB_METRIC && !hyb_metric_read(&metrics, &event, &reading))
 *			...
 *	hyb_metric_end(&metrics);
 */
#ifndef HYB_READER_STREAMS_METRIC_H
#define HYB_READER_STREAMS_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "reader/streams/stream.h"

struct hyb_metric { /* a counter */
	uint64_t id;
	enum hyb_metric_type type; /* HYB_METRIC_UINT64, INT64 or DOUBLE */
	enum hyb_metric_mode mode; /* one of those that there are */
	uint8_t base;		   /* 2 or 10 */
	int8_t exponent;
	uint32_t flags;	  /* enum hyb_metric_flag */
	const char *name; /* never NULL, as are the others; unprintable bytes as they were */
	const char *unit;
	const char *description;
};

struct hyb_metric_set { /* counters that are read together */
	uint64_t id;
	uint32_t count;	 /* at least 1 */
	uint32_t *metric; /* places in hyb_metric_defs.metrics */
};

struct hyb_id_map;

/* Those of a process; all zero: none. */
struct hyb_metric_defs {
	struct hyb_metric *metrics; /* in order of definition */
	size_t metric_count;
	struct hyb_metric_set *sets;
	size_t set_count;

	struct hyb_id_map *metric_map; /* what follows is the library's */
	struct hyb_id_map *set_map;
	size_t metric_room;
	size_t set_room;
};

/* The entry with that id, or NULL. */
const struct hyb_metric *hyb_metric_defs_find(const struct hyb_metric_defs *d, uint64_t id);
const struct hyb_metric_set *hyb_metric_defs_set(const struct hyb_metric_defs *d, uint64_t id);
/* Of the library: takes in a HYB_DEF_METRIC or HYB_DEF_METRIC_SET. 0, -EBADMSG: it makes no sense, or -ENOMEM. */
int hyb_metric_defs_add(struct hyb_metric_defs *d, const struct hyb_event *e);
void hyb_metric_defs_free(struct hyb_metric_defs *d);

/* The values of one METRIC. The pointers are valid until the next one is read. */
struct hyb_metric_reading {
	uint64_t set; /* id */
	bool alone;   /* it has its own time, not that of the record after it */
	uint32_t count;
	const uint64_t *values;
	const uint64_t *before; /* those of the set's METRIC before in the stream; NULL: there is none */
};

/* Of a stream; all zero at first. */
struct hyb_metric_reader {
	struct hyb_metric_state *states; /* of each set */
	size_t count;
	size_t room;
	struct hyb_metric_state *last; /* that of the last METRIC */
	struct hyb_id_map *map;
};

/*
 * Reads the values of a HYB_METRIC. All of a stream have to be read in turn. 0; -EBADMSG: it is damaged, or one of its
 * set before it in the chunk was; -ENOMEM.
 */
int hyb_metric_read(struct hyb_metric_reader *r, const struct hyb_event *e, struct hyb_metric_reading *reading);
/* Gives all memory back; all zero then. */
void hyb_metric_end(struct hyb_metric_reader *r);

#endif
