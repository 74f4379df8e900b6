/* SPDX-License-Identifier: BSD-3-Clause */
/* What is told of all that was recorded: a part of the time, some ranks, some kinds of events. */
#ifndef HYB_MERGE_SINK_SELECTION_H
#define HYB_MERGE_SINK_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "merge/sink/event.h"

/* Groups of events, or-ed. */
enum hyb_select_group {
	HYB_SELECT_P2P = 1,
	HYB_SELECT_COLL = 2,
	HYB_SELECT_RMA = 4,
	HYB_SELECT_IO = 8,
	HYB_SELECT_MPI_OTHER = 16,
	HYB_SELECT_MPI = 31,
	HYB_SELECT_OMP = 32,
	HYB_SELECT_KERNEL = 64,
	HYB_SELECT_USER = 128,
	HYB_SELECT_COUNTERS = 256,
	HYB_SELECT_ALL = 511,
};

struct hyb_rank_range {
	uint32_t first;
	uint32_t last;
};

struct hyb_selection {
	int64_t from; /* ns since the recording began; INT64_MIN: from its begin */
	int64_t to;   /* INT64_MAX: to its end */
	struct hyb_rank_range *ranks;
	size_t rank_count; /* ranges; 0: all processes */
	size_t rank_room;
	uint32_t groups;   /* enum hyb_select_group */
	bool ends_program; /* where the part ends, programs do that go on after it */
};

#define HYB_SELECTION_ALL { .from = INT64_MIN, .to = INT64_MAX, .groups = HYB_SELECT_ALL }

/* "2.5", "2.5s", "300ms", "40us", "7ns": ns, not negative. False: it is none. */
bool hyb_selection_parse_time(const char *text, int64_t *ns);
/* "0-15,32": adds them. 0, -EINVAL or -ENOMEM. */
int hyb_selection_parse_ranks(const char *text, struct hyb_selection *s);
/*
 * Words with commas between them, each added to those before it, or with a minus sign taken from them; where the first
 * has one, from all. False: one is not known.
 */
bool hyb_selection_parse_groups(const char *text, uint32_t *groups);
#define HYB_SELECTION_WORDS 64
/* The words for them. */
const char *hyb_selection_words(uint32_t groups, char buf[HYB_SELECTION_WORDS]);
void hyb_selection_free(struct hyb_selection *s);

static inline bool hyb_selection_cuts_time(const struct hyb_selection *s)
{
	return s->from != INT64_MIN || s->to != INT64_MAX;
}

/* Whether messages may lose their other half, and operations a member. */
static inline bool hyb_selection_parts(const struct hyb_selection *s)
{
	return hyb_selection_cuts_time(s) || s->rank_count;
}

static inline bool hyb_selection_is_all(const struct hyb_selection *s)
{
	return !hyb_selection_parts(s) && s->groups == HYB_SELECT_ALL;
}

bool hyb_selection_has_rank(const struct hyb_selection *s, uint32_t rank);
/* Whether events of that kind are told, as far as their kind decides. */
bool hyb_selection_has_event(const struct hyb_selection *s, const struct hyb_merge_event *e);

#endif
