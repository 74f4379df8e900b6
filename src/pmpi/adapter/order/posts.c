/* SPDX-License-Identifier: BSD-3-Clause */
/* Open receives by their request; see posts.h. Open addressing; what is taken out moves those after it up. */
#include "pmpi/adapter/order/posts.h"

#include <sched.h>

#include "core/sys/memory.h"

struct hyb_posts hyb_posts;

static void lock(void)
{
	while (hyb_posts.locks && __atomic_exchange_n(&hyb_posts.lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(void)
{
	if (hyb_posts.locks)
		__atomic_store_n(&hyb_posts.lock, 0, __ATOMIC_RELEASE);
}

void hyb_posts_set_multiple(void)
{
	hyb_posts.locks = true;
}

static struct hyb_order_shadow *free_shadows;

struct hyb_order_shadow *hyb_shadow_new(void)
{
	struct hyb_order_shadow *shadow;

	lock();
	shadow = free_shadows;
	if (shadow)
		free_shadows = shadow->next;
	unlock();
	return shadow ? shadow : hyb_alloc(sizeof(*shadow));
}

void hyb_shadow_free(struct hyb_order_shadow *shadow)
{
	if (shadow->owns_type)
		PMPI_Type_free(&shadow->type);
	lock();
	shadow->next = free_shadows;
	free_shadows = shadow;
	unlock();
}

static bool grow(void)
{
	struct hyb_posts_slot *old = hyb_posts.slots;
	const uint64_t size = old ? hyb_posts.mask + 1 : 0;
	const uint64_t wanted = size ? 2 * size : 256;
	struct hyb_posts_slot *slots = hyb_alloc(wanted * sizeof(*slots));

	if (!slots)
		return false;
	hyb_posts.slots = slots;
	hyb_posts.mask = wanted - 1;
	for (uint64_t i = 0; i < size; i++) {
		if (old[i].key)
			slots[hyb_posts_look(old[i].key)] = old[i];
	}
	return true;
}

bool hyb_posts_put_slowly(MPI_Request request, struct hyb_order_post post)
{
	struct hyb_posts_slot *slot;
	bool ok = true;

	lock();
	if (2 * hyb_posts.count >= hyb_posts.mask)
		ok = grow();
	if (ok) {
		slot = &hyb_posts.slots[hyb_posts_look(hyb_posts_key(request))];
		hyb_posts_set_count(hyb_posts.count + !slot->key);
		slot->key = hyb_posts_key(request);
		slot->post = post;
	}
	unlock();
	return ok;
}

/* Those that would stand at a free place or before it come up to it. */
void hyb_posts_close_gap(uint64_t gap)
{
	struct hyb_posts_slot *slots = hyb_posts.slots;
	const uint64_t mask = hyb_posts.mask;

	for (uint64_t at = (gap + 1) & mask; slots[at].key; at = (at + 1) & mask) {
		const uint64_t its = hyb_posts_home(slots[at].key);

		if (((at - its) & mask) >= ((at - gap) & mask)) {
			slots[gap] = slots[at];
			gap = at;
		}
	}
	slots[gap].key = 0;
}

static bool find(MPI_Request request, struct hyb_order_post *post, bool takes)
{
	uint64_t at;
	bool found = false;

	if (!hyb_posts_any())
		return false;
	lock();
	at = hyb_posts_look(hyb_posts_key(request));
	if (hyb_posts.slots[at].key) {
		found = true;
		*post = hyb_posts.slots[at].post;
		if (takes) {
			hyb_posts_close_gap(at);
			hyb_posts_set_count(hyb_posts.count - 1);
		}
	}
	unlock();
	return found;
}

bool hyb_posts_take_locked(MPI_Request request, struct hyb_order_post *post)
{
	return find(request, post, true);
}

bool hyb_posts_find(MPI_Request request, struct hyb_order_post *post)
{
	return find(request, post, false);
}
