/* SPDX-License-Identifier: BSD-3-Clause */
/* The call tree of samples: regions and functions, as merge/kernel/callpath.h joins them. */
#ifndef HYB_EXPORT_SAMPLES_TREE_H
#define HYB_EXPORT_SAMPLES_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/containers/table.h"
#include "export/samples/tally.h"

/* A region, or a function whatever its line. */
struct hyb_samples_node {
	uint32_t parent; /* number plus 1; 0: it is outermost */
	const char *name;
	const char *path; /* of the binary; NULL: a region, or in none */
	bool region;
	uint64_t weight; /* of its own */
	uint64_t all_weight;
};

struct hyb_samples_tree {
	struct hyb_table nodes;
	uint64_t weight;
};

void hyb_samples_tree_init(struct hyb_samples_tree *t);
void hyb_samples_tree_free(struct hyb_samples_tree *t);
/* Adds the tally's samples of one metric, by its name. 0 or -ENOMEM. */
int hyb_samples_tree_add(struct hyb_samples_tree *t, const struct hyb_samples_tally *tally, const char *metric);
/*
 * Visits the nodes that have at least that much with what they called, each after its parent, the heaviest first. 0 or
 * -ENOMEM.
 */
int hyb_samples_tree_each(const struct hyb_samples_tree *t, uint64_t least,
			  void (*visit)(void *arg, const struct hyb_samples_node *node, unsigned int depth), void *arg);

#endif
