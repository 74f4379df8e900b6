/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an event says, as a list of named values: for sinks that write names, so that all of them call the same thing
 * the same.
 */
#ifndef HYB_MERGE_SINK_FIELD_H
#define HYB_MERGE_SINK_FIELD_H

#include <stddef.h>

#include "merge/sink/event.h"

enum hyb_field_type {
	HYB_FIELD_INT64,
	HYB_FIELD_UINT64,
	HYB_FIELD_TIME, /* ns, on the clock of the events */
	HYB_FIELD_TRUE, /* is there only where it holds */
	HYB_FIELD_WORD,
	HYB_FIELD_REGION, /* the value is an id of the model's, from here on */
	HYB_FIELD_GROUP,
	HYB_FIELD_TEAM,
	HYB_FIELD_NAMED, /* and of something with a name (title.h) */
	HYB_FIELD_COMM = HYB_FIELD_NAMED,
	HYB_FIELD_WINDOW,
	HYB_FIELD_FILE,
	HYB_FIELD_HANDLE,
	HYB_FIELD_TEXT,
	HYB_FIELD_TYPES,
};

/* field.c has the name and type of each. From HYB_FIELDS on: attributes. */
enum hyb_field_id {
	HYB_FIELD_ID_REGION = 0,
	HYB_FIELD_ID_COMMUNICATOR,
	HYB_FIELD_ID_PEER,
	HYB_FIELD_ID_TAG,
	HYB_FIELD_ID_BYTES,
	HYB_FIELD_ID_PARTITIONED,
	HYB_FIELD_ID_REQUEST,
	HYB_FIELD_ID_NUMBER,
	HYB_FIELD_ID_OTHER_BEGIN,
	HYB_FIELD_ID_OTHER_END,
	HYB_FIELD_ID_FIRST_BEGIN,
	HYB_FIELD_ID_LAST_BEGIN,
	HYB_FIELD_ID_LAST_END,
	HYB_FIELD_ID_OPERATION,
	HYB_FIELD_ID_ROOT,
	HYB_FIELD_ID_ROOT_IS,
	HYB_FIELD_ID_SENT,
	HYB_FIELD_ID_RECEIVED,
	HYB_FIELD_ID_WINDOW,
	HYB_FIELD_ID_TARGET,
	HYB_FIELD_ID_ALL,
	HYB_FIELD_ID_GROUP,
	HYB_FIELD_ID_ID,
	HYB_FIELD_ID_ALLOCATED,
	HYB_FIELD_ID_WITH_REQUEST,
	HYB_FIELD_ID_SUM,
	HYB_FIELD_ID_REPLACE,
	HYB_FIELD_ID_SHARED,
	HYB_FIELD_ID_FIRST,
	HYB_FIELD_ID_FILE,
	HYB_FIELD_ID_HANDLE,
	HYB_FIELD_ID_OFFSET,
	HYB_FIELD_ID_REACHED,
	HYB_FIELD_ID_FROM,
	HYB_FIELD_ID_ACCESS,
	HYB_FIELD_ID_CREATE,
	HYB_FIELD_ID_EXCLUSIVE,
	HYB_FIELD_ID_DELETE_ON_CLOSE,
	HYB_FIELD_ID_UNIQUE,
	HYB_FIELD_ID_SEQUENTIAL,
	HYB_FIELD_ID_APPEND,
	HYB_FIELD_ID_COLLECTIVE,
	HYB_FIELD_ID_BEGUN,
	HYB_FIELD_ID_THREADS,
	HYB_FIELD_ID_TEAM,
	HYB_FIELD_ID_CREATOR,
	HYB_FIELD_ID_TASK,
	HYB_FIELD_ID_LOCK,
	HYB_FIELD_ID_ORDER,
	HYB_FIELD_ID_PROGRAM,
	HYB_FIELD_ID_ARGUMENTS, /* a list of texts; not among the fields of the event, see there */
	HYB_FIELD_ID_STATUS,
	HYB_FIELD_ID_CLASS,  /* of counters */
	HYB_FIELD_ID_VALUES, /* a list; not among the fields of the event, see there */
	HYB_FIELD_ID_VOLUNTARY, /* enum hyb_kernel_count, in that order */
	HYB_FIELD_ID_INVOLUNTARY,
	HYB_FIELD_ID_MINOR,
	HYB_FIELD_ID_MAJOR,
	HYB_FIELD_ID_RAN,
	HYB_FIELD_ID_WAITED,
	HYB_FIELD_ID_CHAIN, /* of a sample: numbers as in hyb_kernel_number_samples */
	HYB_FIELD_ID_METRIC,
	HYB_FIELD_ID_WEIGHT,
	HYB_FIELDS,
	HYB_FIELDS_AND_ATTRIBUTES = HYB_FIELDS + HYB_ATTRIBUTES,
};

struct hyb_field_info {
	const char *name;
	enum hyb_field_type type;
};

struct hyb_field {
	enum hyb_field_id id;
	uint64_t value;
	const char *word; /* of HYB_FIELD_WORD */
};

#define HYB_FIELDS_MAX 12 /* of one event */

struct hyb_field_info hyb_field_info(enum hyb_field_id id);
/*
 * What the event says, without its time, region, attributes, arguments and values; how many fields that is. What a field would
 * say that does not hold, or that is not known, has none.
 */
size_t hyb_event_fields(const struct hyb_merge_event *e, struct hyb_field fields[HYB_FIELDS_MAX]);
/* The attribute as a field. Names are those of OTF2, but for three that it has twice: here they are unique. */
struct hyb_field hyb_attribute_field(const struct hyb_attribute *a);
/* The number of the message or collective operation, other than that of any other of either; 0: it has none. */
uint64_t hyb_event_whole(const struct hyb_merge_event *e);
/* The words for kinds of events and of regions. */
const char *hyb_kind_word(enum hyb_kind kind);
const char *hyb_role_word(enum hyb_role role);
const char *hyb_paradigm_word(enum hyb_paradigm paradigm);
/* Whose events they are: those of the kernel's regions, too. */
enum hyb_paradigm hyb_kind_paradigm(enum hyb_kind kind);
enum hyb_paradigm hyb_region_paradigm(const struct hyb_gregion *region);

#endif
