/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel did to a thread, added up by programs in the kernel in memory that the thread has mapped. Layout only.
 *
 * The nodes are a tree: a system call with the faults, interrupts and waiting in it. All that happens to a thread has
 * ended when the thread itself runs again, so what it finds then is complete and belongs to what it did since it looked
 * last. Nodes are only added, and their numbers only grow. A slot may have been another thread's before: what counts is
 * how much more there is than at first.
 */
#ifndef HYB_FORMAT_KERNEL_SLOT_H
#define HYB_FORMAT_KERNEL_SLOT_H

/* Programs in the kernel include this, too, after the types of their own. */
#define HYB_SLOT_SIZE		(16u << 10)	/* whole pages */
#define HYB_SLOT_PAGE		4096u
#define HYB_SLOT_NODES		512u		/* a power of two */
#define HYB_SLOT_EVENT_SHIFT	24		/* of an event: enum hyb_profile_kind; below, its number of that kind */

struct hyb_slot_node {
	/* upper half: the node that it is in, by its place plus 1, 0: none; lower half: the event. All zero: not in use */
	unsigned long long key;
	unsigned long long count;
	unsigned long long ns;	/* with what is in it; CLOCK_MONOTONIC */
};

struct hyb_kernel_slot {
	unsigned long long turn;	/* rises whenever something has ended */
	unsigned long long used;	/* nodes in use, which rises as well */
	unsigned long long crowded;	/* events that found no node: their time is that of the node around them */
	unsigned long long reserved[5];
	struct hyb_slot_node nodes[HYB_SLOT_NODES];
};

_Static_assert(sizeof(struct hyb_kernel_slot) <= HYB_SLOT_SIZE, "a slot has room for it");

#endif
