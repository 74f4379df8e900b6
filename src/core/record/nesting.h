/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a call of the program's is inside of another one: what a frame leaves on the stack stays there after a
 * longjmp out of it, so no content tells. Where the call comes from does: from what wrappers call (MPI, a tool behind
 * us), or otherwise by a walk up the stack.
 */
#ifndef HYB_CORE_RECORD_NESTING_H
#define HYB_CORE_RECORD_NESTING_H

#include <stdbool.h>
#include <stdint.h>

enum hyb_nesting {
	HYB_NESTING_NOT = 0,	/* nothing live holds that address */
	HYB_NESTING_INSIDE,	/* a wrapper's frame does */
	HYB_NESTING_ELSEWHERE,	/* it is on no stack that leads here */
	HYB_NESTING_UNKNOWN,	/* the walk ended at code without unwind tables */
};

/* The object that this function lies in is called by wrappers only, or has the wrappers. Any number of times. */
void hyb_nesting_called(const void *function);
void hyb_nesting_wrappers(const void *function);
/* The library with that address is about to be unloaded: another one may come to be where it was. */
void hyb_nesting_forget(const void *inside);
/* Whether that address is in an object that wrappers call. */
bool hyb_nesting_is_called(const void *site);
/*
 * What holds the address `frame`, which is further up the stack than `inner`, where the caller's wrapper ends, or on
 * another one. site: where that wrapper returns to.
 */
enum hyb_nesting hyb_nesting_find(uintptr_t frame, uintptr_t inner, const void *site);

#endif
