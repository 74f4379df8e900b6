/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What both files of the room number alike. All packets are one sequence, whose interned strings come first in the
 * file (define.c), once the model is complete; events (sink.c) name them before they are written.
 */
#ifndef HYB_PERFETTO_DEFINE_H
#define HYB_PERFETTO_DEFINE_H

#include <stdio.h>

#include "merge/field.h"
#include "merge/merge.h"
#include "merge/parts.h"
#include "perfetto/trace.pb-c.h"

#define HYB_PERFETTO_SEQUENCE 1u

/* Tracks of Perfetto's: the number of a track, process or host, and in the lowest bits what of it. */
enum hyb_perfetto_uuid {
	HYB_UUID_TRACK = 0,
	HYB_UUID_PAUSES,  /* of a track: when nothing was recorded */
	HYB_UUID_COUNTER, /* the first of HYB_KCOUNTS */
	HYB_UUID_PROCESS = 8,
	HYB_UUID_HOST,
};

static inline uint64_t hyb_perfetto_uuid(size_t number, unsigned int what)
{
	return ((uint64_t)number + 1) << 4 | what;
}

/* Interned strings: a kind of strings, and the number of one in it. None is 0, which stands for none. */
enum hyb_perfetto_name { /* of events */
			 HYB_NAME_OF_REGION = 0,
			 HYB_NAME_OF_KIND,
			 HYB_NAME_OF_PAUSE,
			 HYB_NAME_KINDS,
};

enum hyb_perfetto_note { /* of annotations */
			 HYB_NOTE_FIELD = 0,
			 HYB_NOTE_ATTRIBUTE,
			 HYB_NOTE_KIND,
			 HYB_NOTE_KINDS,
};

enum hyb_perfetto_value { /* of annotations: what events have as numbers of the model */
			  HYB_VALUE_OF_TEXT = 1,
			  HYB_VALUE_OF_COMM,
			  HYB_VALUE_OF_WINDOW,
			  HYB_VALUE_OF_FILE,
			  HYB_VALUE_OF_HANDLE,
			  HYB_VALUE_KINDS,
};

static inline uint64_t hyb_perfetto_name(enum hyb_perfetto_name kind, uint64_t number)
{
	return number * HYB_NAME_KINDS + kind + 1;
}

static inline uint64_t hyb_perfetto_note(enum hyb_perfetto_note kind, uint64_t number)
{
	return number * HYB_NOTE_KINDS + kind + 1;
}

static inline uint64_t hyb_perfetto_value(enum hyb_perfetto_value kind, uint64_t number)
{
	return number * HYB_VALUE_KINDS + kind;
}

static inline uint64_t hyb_perfetto_category(enum hyb_paradigm paradigm)
{
	return (uint64_t)paradigm + 1;
}

/* Writes all definitions. 0 or -errno. */
int hyb_perfetto_define(const struct hyb_sink *sink, FILE *to);

#endif
