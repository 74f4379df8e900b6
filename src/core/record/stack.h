/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stacks of calls, HYBMON_CALLSTACK: the addresses that lead from the program's innermost frame to its outer ones, as
 * far as they were asked for, attached to Enters as HYB_STACK.
 *
 * Each thread keeps the walks that it made last, with every word on its stack that decided which way they went. A call
 * from the same place on the stack, where all these words are what they were, has the same stack: nothing else can
 * change it but libraries that are unloaded. So most calls cost one comparison for each frame, or two with a frame
 * pointer.
 */
#ifndef HYB_CORE_RECORD_STACK_H
#define HYB_CORE_RECORD_STACK_H

#include "core/record/record.h"

/* A thread gets its stream, of which these are; none: it is to have no stacks. */
void hyb_stacks_begin(struct hyb_sites *sites, bool none);

/* What is called by whom: which frames are none of the program's. */
enum hyb_stack_caller {
	HYB_STACK_PROGRAM = 1,	/* the program calls the library */
	HYB_STACK_RUNTIME = 2,	/* an OpenMP runtime does, which the program called */
};

/*
 * The stack of the thread with its Enter of `region`, attached at p: where that ends then. address: where the program's
 * innermost frame goes on, NULL: not known.
 */
uint64_t *hyb_stack_put(uint32_t region, uint64_t *p, enum hyb_stack_caller caller, const void *address)
	__attribute__((noinline));

/* What was noted last as told of a region may never have been published. */
void hyb_stack_untold(uint32_t region);

/* Whether the thread has any. */
static HYB_HOT bool hyb_stacks_are_on(void)
{
	const struct hyb_sites *s = hyb_self.sites;

	return hyb_unlikely(s && s->on & HYB_SITES_STACKS);
}

/* As hyb_stack_put where a thread may have none. */
static HYB_HOT uint64_t *hyb_stack_attach(uint32_t region, uint64_t *p, enum hyb_stack_caller caller,
					  const void *address)
{
	return hyb_stacks_are_on() ? hyb_stack_put(region, p, caller, address) : p;
}

#endif
