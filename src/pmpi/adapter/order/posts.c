/* SPDX-License-Identifier: BSD-3-Clause */
/* Open receives by their request; see posts.h. Open addressing; what is taken out moves those after it up. */
#include "pmpi/adapter/order/posts.h"

#include <sched.h>

#include "base/memory.h"

struct slot {
	uint64_t key;	/* of the request's handle, plus 1; 0: free */
	struct hyb_order_post post;
};

static struct {
	struct slot *slots;
	uint64_t mask;	/* slots less 1; a power of 2 */
	int lock;
	bool locks;
} posts;

uint64_t hyb_posts_count;

static void lock(void)
{
	while (posts.locks && __atomic_exchange_n(&posts.lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(void)
{
	if (posts.locks)
		__atomic_store_n(&posts.lock, 0, __ATOMIC_RELEASE);
}

void hyb_posts_set_multiple(void)
{
	posts.locks = true;
}

bool hyb_posts_is_multiple(void)
{
	return posts.locks;
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

static uint64_t key_of(MPI_Request request)
{
	return (uint64_t)(uintptr_t)request + 1;
}

static uint64_t home(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15) >> 20 & posts.mask;
}

/* Where it stands, or the free place where it would. */
static struct slot *look(uint64_t key)
{
	uint64_t at = home(key);

	while (posts.slots[at].key && posts.slots[at].key != key)
		at = (at + 1) & posts.mask;
	return &posts.slots[at];
}

static bool grow(void)
{
	struct slot *old = posts.slots;
	const uint64_t size = old ? posts.mask + 1 : 0;
	const uint64_t wanted = size ? 2 * size : 256;
	struct slot *slots = hyb_alloc(wanted * sizeof(*slots));

	if (!slots)
		return false;
	posts.slots = slots;
	posts.mask = wanted - 1;
	for (uint64_t i = 0; i < size; i++) {
		if (old[i].key)
			*look(old[i].key) = old[i];
	}
	return true;
}

bool hyb_posts_put(MPI_Request request, const struct hyb_order_post *post)
{
	struct slot *slot;
	bool ok = true;

	lock();
	if (!posts.slots || 2 * hyb_posts_count > posts.mask)
		ok = grow();
	if (ok) {
		slot = look(key_of(request));
		if (!slot->key)
			__atomic_store_n(&hyb_posts_count, hyb_posts_count + 1, __ATOMIC_RELAXED);
		slot->key = key_of(request);
		slot->post = *post;
	}
	unlock();
	return ok;
}

/* Those that would stand at a free place or before it come up to it. */
static void close_gap(uint64_t gap)
{
	for (uint64_t at = (gap + 1) & posts.mask; posts.slots[at].key; at = (at + 1) & posts.mask) {
		const uint64_t its = home(posts.slots[at].key);

		if (((at - its) & posts.mask) >= ((at - gap) & posts.mask)) {
			posts.slots[gap] = posts.slots[at];
			gap = at;
		}
	}
	posts.slots[gap].key = 0;
}

static bool find(MPI_Request request, struct hyb_order_post *post, bool takes)
{
	struct slot *slot;
	bool found = false;

	if (!hyb_posts_any())
		return false;
	lock();
	slot = posts.slots ? look(key_of(request)) : NULL;
	if (slot && slot->key) {
		found = true;
		*post = slot->post;
		if (takes) {
			close_gap((uint64_t)(slot - posts.slots));
			__atomic_store_n(&hyb_posts_count, hyb_posts_count - 1, __ATOMIC_RELAXED);
		}
	}
	unlock();
	return found;
}

bool hyb_posts_take(MPI_Request request, struct hyb_order_post *post)
{
	return find(request, post, true);
}

bool hyb_posts_find(MPI_Request request, struct hyb_order_post *post)
{
	return find(request, post, false);
}
