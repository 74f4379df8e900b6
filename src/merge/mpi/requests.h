/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of numbers of one process, requests and their like: a bit for each, for they are given out in a row. */
#ifndef HYB_MERGE_MPI_REQUESTS_H
#define HYB_MERGE_MPI_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/containers/table.h"

struct hyb_requests {
	struct hyb_table words; /* all zero: empty and not begun */
	uint64_t count;
};

/* 0 or -ENOMEM. */
int hyb_requests_add(struct hyb_requests *r, uint64_t request);
/* Takes in what is not in the set, and out what is. 0 or -ENOMEM. */
int hyb_requests_toggle(struct hyb_requests *r, uint64_t request);
bool hyb_requests_find(const struct hyb_requests *r, uint64_t request);
void hyb_requests_free(struct hyb_requests *r);

static inline bool hyb_requests_has(const struct hyb_requests *r, uint64_t request)
{
	return __builtin_expect(r->count != 0, 0) && hyb_requests_find(r, request);
}

#endif
