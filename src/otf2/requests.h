/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of request numbers of one process: few, and mostly none. */
#ifndef HYB_OTF2_REQUESTS_H
#define HYB_OTF2_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "otf2/table.h"

struct hyb_requests {
	struct hyb_table set; /* of uint64_t; all zero: empty and not begun */
};

/* 0 or -ENOMEM. */
int hyb_requests_add(struct hyb_requests *r, uint64_t request);
bool hyb_requests_find(const struct hyb_requests *r, uint64_t request);
void hyb_requests_free(struct hyb_requests *r);

static inline bool hyb_requests_has(const struct hyb_requests *r, uint64_t request)
{
	return __builtin_expect(r->set.count != 0, 0) && hyb_requests_find(r, request);
}

#endif
