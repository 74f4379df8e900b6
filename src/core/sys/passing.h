/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a call goes that leads into a library which may be unloaded: known until any library is, and looked up again then
 * (hyb_unload_turn, library.h). Tables of these are read without a lock, by any thread, in signal handlers, too.
 */
#ifndef HYB_CORE_SYS_PASSING_H
#define HYB_CORE_SYS_PASSING_H

#include <stdbool.h>
#include <stdint.h>

#define HYB_PASSING_BUSY UINT32_MAX

struct hyb_passing {
	uint32_t turn;	/* from before the target was found; 0: free; HYB_PASSING_BUSY: being written */
	uint32_t number;
	const void *site;
	void *target;
};

/* The target of that call in that turn, or NULL. */
static inline void *hyb_passing_get(const struct hyb_passing *p, uint32_t turn, uint32_t number, const void *site)
{
	void *target;

	/*
	 * Acquire: each pairs with the release of the same member in hyb_passing_put. Who sees one of a later turn sees in
	 * the end that the turn is another, too.
	 */
	if (__atomic_load_n(&p->turn, __ATOMIC_ACQUIRE) != turn ||
	    __atomic_load_n(&p->number, __ATOMIC_ACQUIRE) != number ||
	    __atomic_load_n(&p->site, __ATOMIC_ACQUIRE) != site)
		return NULL;
	target = __atomic_load_n(&p->target, __ATOMIC_ACQUIRE);
	return __atomic_load_n(&p->turn, __ATOMIC_RELAXED) == turn ? target : NULL;
}

/* False: there is another call's of this turn or a later one, or somebody else is writing. */
static inline bool hyb_passing_put(struct hyb_passing *p, uint32_t turn, uint32_t number, const void *site,
				   void *target)
{
	uint32_t old = __atomic_load_n(&p->turn, __ATOMIC_RELAXED);

	if (old == HYB_PASSING_BUSY || (old && (int32_t)(turn - old) <= 0) ||
	    !__atomic_compare_exchange_n(&p->turn, &old, HYB_PASSING_BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	__atomic_store_n(&p->number, number, __ATOMIC_RELEASE);
	__atomic_store_n(&p->site, site, __ATOMIC_RELEASE);
	__atomic_store_n(&p->target, target, __ATOMIC_RELEASE);
	__atomic_store_n(&p->turn, turn, __ATOMIC_RELEASE);
	return true;
}

#endif
