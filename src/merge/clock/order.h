/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What waits for what across nodes, put in order by logical.h: each end after its begins on other nodes, plus the least
 * latency. Messages and operations are added in any order, in times corrected by offsets; what comes out is a second
 * correction of each node, mostly 0, with knots where something had to be moved. Since it is of nodes, it holds for
 * whatever else happened there: threads, CPUs and what lies between messages stay in step, and no interval turns round.
 *
 * Begins and ends wait on disk, sorted by node and time. Nodes go on side by side; one that has come to an end whose
 * begins are not all there waits for them. Memory: what is under way.
 */
#ifndef HYB_MERGE_CLOCK_ORDER_H
#define HYB_MERGE_CLOCK_ORDER_H

#include "merge/clock/offsets.h"

struct hyb_order;

/* For nodes 0 to nodes - 1; `dir` is for files, which have no names. 0 or -errno. */
int hyb_order_new(uint32_t nodes, int64_t least, const char *dir, struct hyb_order **order);
void hyb_order_free(struct hyb_order *o);
/* A message, or another operation; each node once. 0 or -errno. */
int hyb_order_add(struct hyb_order *o, const struct hyb_member *m, size_t count);
/* When all are added: finds the corrections. 0 or -errno. */
int hyb_order_solve(struct hyb_order *o);

/* A node's, of corrected times; valid until the order is freed. */
struct hyb_correction hyb_order_correction(const struct hyb_order *o, uint32_t node);
/* By how much the time of something was moved at most, ns. */
int64_t hyb_order_most_moved(const struct hyb_order *o);

#endif
