/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How often samples were where: a count and a sum of weights for each call chain in each row of open regions. All that
 * is to be known of samples without their times comes of it (profile.h).
 */
#ifndef HYB_EXPORT_SAMPLES_TALLY_H
#define HYB_EXPORT_SAMPLES_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "reader/containers/table.h"
#include "merge/sink/event.h"
#include "merge/kernel/kernel.h"

/* Regions that are open, one in the other. */
struct hyb_samples_tally_stack {
	uint32_t outer; /* number of the others, plus 1; 0: it is the outermost */
	const struct hyb_gregion *region;
};

struct hyb_samples_tally_row {
	const struct hyb_kernel_node *node;
	uint32_t chain;
	uint32_t metric;
	uint32_t stack; /* number plus 1; 0: no region is open */
	uint64_t count;
	uint64_t weight;
};

struct hyb_samples_tally {
	struct hyb_table stacks; /* struct hyb_samples_tally_stack */
	struct hyb_table rows;	 /* struct hyb_samples_tally_row */
};

void hyb_samples_tally_init(struct hyb_samples_tally *t);
void hyb_samples_tally_free(struct hyb_samples_tally *t);
/* A region in those of `outer`: the number of all plus 1; 0 without memory. */
uint32_t hyb_samples_tally_enter(struct hyb_samples_tally *t, uint32_t outer, const struct hyb_gregion *region);
/* A sample in these regions. 0 or -ENOMEM. */
int hyb_samples_tally_add(struct hyb_samples_tally *t, const struct hyb_merge_event *e, uint32_t stack);
/* Adds what another one has. 0 or -ENOMEM. */
int hyb_samples_tally_merge(struct hyb_samples_tally *t, const struct hyb_samples_tally *from);

static inline const struct hyb_samples_tally_stack *hyb_samples_tally_stack(const struct hyb_samples_tally *t,
									    uint32_t stack)
{
	return hyb_table_at(&t->stacks, stack - 1);
}

#endif
