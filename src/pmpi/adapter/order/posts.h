/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open receives by their request: those that name any source or tag and are under way, and persistent ones also while
 * they are not. A hash table under a lock that is taken only where several threads may call MPI at once.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_POSTS_H
#define HYB_PMPI_ADAPTER_ORDER_POSTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sys/compiler.h"

struct hyb_order;
struct hyb_order_shadow;

struct hyb_order_post {
	struct hyb_order *owner;	/* of the thread that posted it */
	uint64_t number;
	bool any_tag;
	bool forced;			/* in a replay: it is posted for the message it got, so it is not cancelled */
	bool active;			/* false: a persistent one that is not started */
	bool stands_in;			/* in a replay: on its request nothing ever comes; the shadow has the true one */
	struct hyb_order_shadow *shadow;	/* of a persistent one, or one that is posted later; NULL: it is none */
};

/* What such a receive is about, and what is posted in its place in a replay. Or the copy of a send (sends.h). */
struct hyb_order_shadow {
	void *buf;
	MPI_Count count;
	MPI_Datatype type;
	bool owns_type;
	int source;
	int tag;
	MPI_Comm comm;
	MPI_Request posted;		/* MPI_REQUEST_NULL: nothing is */
	struct hyb_order_shadow *next;	/* of those that are free, or held (held.h), or left (sends.h) */
	bool sends;			/* it is a copy, of which MPI has `buf`: */
	bool told;			/* the program knows it as complete */
	bool cancelled;			/* MPI_Cancel was called, so that only MPI knows what becomes of it */
	unsigned int room;		/* of its memory */
	void *memory;
};

/* NULL: there is no memory. One that is given back is used again. */
struct hyb_order_shadow *hyb_shadow_new(void);
void hyb_shadow_free(struct hyb_order_shadow *shadow);

struct hyb_posts_slot {
	uint64_t key;	/* of the request's handle, plus 1; 0: free */
	struct hyb_order_post post;
};

struct hyb_posts {
	struct hyb_posts_slot *slots;	/* NULL as long as there was none */
	uint64_t mask;			/* slots less 1; a power of 2 */
	uint64_t count;			/* with 0 nobody needs to look */
	uint64_t changes;		/* of what stands there, if one thread at a time comes here */
	int lock;
	bool locks;			/* several threads may come here at once */
};

extern struct hyb_posts hyb_posts;

/* What the functions below do, where that takes a lock or memory, or others have to move. */
bool hyb_posts_put_slowly(MPI_Request request, struct hyb_order_post post);
bool hyb_posts_take_locked(MPI_Request request, struct hyb_order_post *post);
void hyb_posts_close_gap(uint64_t gap);
/* false: it is none of them. Otherwise it is copied, and stays. */
bool hyb_posts_find(MPI_Request request, struct hyb_order_post *post);
void hyb_posts_set_multiple(void);

static inline bool hyb_posts_is_multiple(void)
{
	return hyb_posts.locks;
}

static inline bool hyb_posts_any(void)
{
	return __atomic_load_n(&hyb_posts.count, __ATOMIC_RELAXED) != 0;
}

static inline void hyb_posts_set_count(uint64_t count)
{
	__atomic_store_n(&hyb_posts.count, count, __ATOMIC_RELAXED);
	hyb_posts.changes++;
}

static inline uint64_t hyb_posts_key(MPI_Request request)
{
	return (uint64_t)(uintptr_t)request + 1;
}

static inline uint64_t hyb_posts_home(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15) >> 20 & hyb_posts.mask;
}

/* Where it stands, or the free place where it would. There are slots. */
static inline uint64_t hyb_posts_look(uint64_t key)
{
	uint64_t at = hyb_posts_home(key);

	while (hyb_unlikely(hyb_posts.slots[at].key && hyb_posts.slots[at].key != key))
		at = (at + 1) & hyb_posts.mask;
	return at;
}

/* false: there is no memory, and the order is lost. What stands there for the same handle is replaced. */
static HYB_HOT bool hyb_posts_put(MPI_Request request, const struct hyb_order_post *post)
{
	struct hyb_posts_slot *slot;

	/* Without slots the mask is 0. */
	if (hyb_unlikely(hyb_posts.locks || 2 * hyb_posts.count >= hyb_posts.mask))
		return hyb_posts_put_slowly(request, *post);
	slot = &hyb_posts.slots[hyb_posts_look(hyb_posts_key(request))];
	hyb_posts_set_count(hyb_posts.count + !slot->key);
	slot->key = hyb_posts_key(request);
	slot->post = *post;
	return true;
}

/*
 * The same of a receive that is open and has no shadow. Field by field: what is put together in memory first would be
 * read before its stores are done, which takes longer than all else here.
 */
static HYB_HOT bool hyb_posts_put_open(MPI_Request request, struct hyb_order *owner, uint64_t number, bool any_tag)
{
	struct hyb_posts_slot *slot;

	if (hyb_unlikely(hyb_posts.locks || 2 * hyb_posts.count >= hyb_posts.mask))
		return hyb_posts_put_slowly(request, (struct hyb_order_post){ .owner = owner, .number = number,
									      .any_tag = any_tag, .active = true });
	slot = &hyb_posts.slots[hyb_posts_look(hyb_posts_key(request))];
	hyb_posts_set_count(hyb_posts.count + !slot->key);
	slot->key = hyb_posts_key(request);
	slot->post.owner = owner;
	slot->post.number = number;
	slot->post.any_tag = any_tag;
	slot->post.forced = false;
	slot->post.active = true;
	slot->post.stands_in = false;
	slot->post.shadow = NULL;
	return true;
}

/* What stands at that place, which is not free, is taken out. For one thread only. */
static inline void hyb_posts_take_at(uint64_t at)
{
	if (hyb_likely(!hyb_posts.slots[(at + 1) & hyb_posts.mask].key))
		hyb_posts.slots[at].key = 0;
	else
		hyb_posts_close_gap(at);
	hyb_posts_set_count(hyb_posts.count - 1);
}

/* false: it is none of them. Otherwise it is copied, and stands there no more. There is at least one. */
static inline bool hyb_posts_take_one(MPI_Request request, struct hyb_order_post *post)
{
	struct hyb_posts_slot *slot;
	uint64_t at;

	if (hyb_unlikely(hyb_posts.locks))
		return hyb_posts_take_locked(request, post);
	at = hyb_posts_look(hyb_posts_key(request));
	slot = &hyb_posts.slots[at];
	if (!slot->key)
		return false;
	*post = slot->post;
	hyb_posts_take_at(at);
	return true;
}

/* The same of this very receive, if it stands there still: its handle may be another's by now. For one thread only. */
static inline void hyb_posts_take_number(MPI_Request request, const struct hyb_order *owner, uint64_t number)
{
	const uint64_t at = hyb_posts_look(hyb_posts_key(request));
	const struct hyb_posts_slot *slot = &hyb_posts.slots[at];

	if (hyb_likely(slot->key && slot->post.owner == owner && slot->post.number == number))
		hyb_posts_take_at(at);
}

/* The same where there may be none. */
static inline bool hyb_posts_take(MPI_Request request, struct hyb_order_post *post)
{
	return hyb_posts_any() && hyb_posts_take_one(request, post);
}

#endif
