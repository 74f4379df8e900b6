/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters that are read together: made of a list of names, with what is wrong with it in words; opened, read and closed
 * for each thread.
 */
#ifndef HYB_CORE_COUNTERS_SET_H
#define HYB_CORE_COUNTERS_SET_H

#include "core/counters/counter.h"
#include "core/counters/own.h"
#include "core/counters/papi.h"
#include "core/counters/perf.h"

struct hyb_counter_note {
	struct hyb_counter_note *next;
	const char *text;
};

struct hyb_counter_set {
	struct hyb_counter *counters;
	uint32_t count;
	struct hyb_own own;
	struct hyb_perf_plan perf;
	struct hyb_papi_plan papi;
	/* Why some are not in it, a line each, in order. */
	struct hyb_counter_note *notes;
	struct hyb_counter_note **last_note;
};

/*
 * Looks up the names, which commas or blanks separate, and tries each beside those before it; those that cannot be
 * counted are left out, with a note. *set is zeroes, but for perf.multiplex.
 */
void hyb_counter_set_make(struct hyb_counter_set *set, const char *names);

/* What a thread needs to read a set. */
struct hyb_counter_reader;

/* For the calling thread; NULL and *err, -errno, where it fails. */
struct hyb_counter_reader *hyb_counter_set_open(const struct hyb_counter_set *set, int *err);
/*
 * A value for each counter. 0, -EAGAIN where the program has closed our descriptors, which are opened again, or another
 * -errno, with *values undefined. Keeps errno.
 */
int hyb_counter_set_read(const struct hyb_counter_set *set, struct hyb_counter_reader *reader, uint64_t *values);
void hyb_counter_set_close(const struct hyb_counter_set *set, struct hyb_counter_reader *reader);
/* How it is read, in words. Returns text. */
const char *hyb_counter_set_way(const struct hyb_counter_set *set, const struct hyb_counter_reader *reader, char *text,
				size_t size);

#endif
