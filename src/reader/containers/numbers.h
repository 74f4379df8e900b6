/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of numbers of one process, requests and their like: a bit for each, for they are given out in a row. */
#ifndef HYB_READER_CONTAINERS_NUMBERS_H
#define HYB_READER_CONTAINERS_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/containers/table.h"

struct hyb_numbers {
	struct hyb_table words; /* all zero: empty and not begun */
	uint64_t count;
};

/* 0 or -ENOMEM. */
int hyb_numbers_add(struct hyb_numbers *n, uint64_t number);
/* Takes in what is not in the set, and out what is. 0 or -ENOMEM. */
int hyb_numbers_toggle(struct hyb_numbers *n, uint64_t number);
bool hyb_numbers_find(const struct hyb_numbers *n, uint64_t number);
void hyb_numbers_free(struct hyb_numbers *n);

static inline bool hyb_numbers_has(const struct hyb_numbers *n, uint64_t number)
{
	return __builtin_expect(n->count != 0, 0) && hyb_numbers_find(n, number);
}

#endif
