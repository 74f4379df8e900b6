/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What both files of this folder number alike. All packets are one sequence, whose interned strings come first in the
 * file (define.c), once the model is complete; events (sink.c) name them before they are written.
 */
#ifndef HYB_EXPORT_PERFETTO_DEFINE_H
#define HYB_EXPORT_PERFETTO_DEFINE_H

#include <stdio.h>

#include "merge/sink/field.h"
#include "merge/merge.h"
#include "merge/sink/parts.h"
#include "export/perfetto/trace.pb-c.h"

/* Tracks of Perfetto's: the number of a track, process or host, and in the lowest bits what of it. */
enum hyb_perfetto_uuid {
	HYB_UUID_TRACK = 0,
	HYB_UUID_PAUSES,  /* of a track: when nothing was recorded */
	HYB_UUID_PROCESS = 8,
	HYB_UUID_HOST,
};

static inline uint64_t hyb_perfetto_uuid(size_t number, unsigned int what)
{
	return ((uint64_t)number + 1) << 4 | what;
}

/* That of a track's counter, by the number of its metric. */
static inline uint64_t hyb_perfetto_counter(size_t number, uint32_t metric)
{
	return UINT64_C(1) << 63 | (uint64_t)number << 28 | metric;
}

/* Of what the number is that an interned string has; Perfetto has a list for each of four kinds of strings. */
enum hyb_perfetto_of {
	HYB_OF_REGION = 1, /* names of events */
	HYB_OF_KIND,
	HYB_OF_FIELD = 1, /* names of annotations: enum hyb_field_id, with attributes, and then parameters */
	HYB_OF_DEED,	  /* and enum hyb_kind */
	HYB_OF_PARADIGM = 1, /* categories */
	HYB_OF_NAMED = 1,    /* texts of annotations: this one is of HYB_FIELD_NAMED, the types after it follow */
	HYB_OF_KINDS = HYB_FIELD_TYPES - HYB_FIELD_NAMED,
};

static inline uint64_t hyb_perfetto_iid(enum hyb_perfetto_of of, uint64_t number)
{
	return number * HYB_OF_KINDS + of;
}

/* Writes all definitions. 0 or -errno. */
int hyb_perfetto_define(const struct hyb_sink *sink, FILE *to);

#endif
