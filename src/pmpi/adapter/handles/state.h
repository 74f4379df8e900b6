/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a handle stands for something that is known. Part of the adapter. */
#ifndef HYB_PMPI_ADAPTER_HANDLES_STATE_H
#define HYB_PMPI_ADAPTER_HANDLES_STATE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

enum hyb_state {
	HYB_STATE_FREE = 0,	/* the handle is nobody's */
	HYB_STATE_MAKING,	/* a thread is filling in what it stands for */
	HYB_STATE_LIVE,		/* stored with release after the rest */
};

/*
 * Of a valid handle that was never seen before: true if it is now the caller's to fill in; false if another thread has
 * done so meanwhile.
 */
static inline bool hyb_state_claim(uint32_t *state)
{
	uint32_t old = HYB_STATE_FREE;

	while (!__atomic_compare_exchange_n(state, &old, HYB_STATE_MAKING, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		if (old == HYB_STATE_LIVE)
			return false;
		/* Another thread has met it at the same time; it waits for nobody. */
		sched_yield();
		old = HYB_STATE_FREE;
	}
	return true;
}

/* What was given up before a call that was to free the handle, and failed, is known again. */
static inline void hyb_state_restore(uint32_t *state)
{
	uint32_t old = HYB_STATE_FREE;

	__atomic_compare_exchange_n(state, &old, HYB_STATE_LIVE, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

#endif
