/* SPDX-License-Identifier: BSD-3-Clause */
/* The open receives among the requests of a call, in the common case; see set.h. */
#include "pmpi/adapter/order/set.h"

#include <string.h>

#include "pmpi/adapter/order/batch.h"

_Static_assert(HYB_ORDER_PENDING_REQUESTS <= 64, "a request has a bit of a word");

/*
 * What was looked up last. Programs test the same requests over and over, so it is used again as long as nothing has
 * changed. The posts' numbers are in the file of the order that looked.
 */
static struct {
	const struct hyb_order *order;
	uint64_t changes;	/* of the table */
	int count;
	uint64_t open;
	uint64_t any_tag;	/* a bit for each that names none */
	MPI_Request requests[HYB_ORDER_PENDING_REQUESTS];
} last;

static bool is_last(const struct hyb_order *order, int count, const MPI_Request *requests)
{
	return order->pending_keeps && last.order == order && last.changes == hyb_posts.changes &&
	       last.count == count && memcmp(last.requests, requests, (size_t)count * sizeof(*requests)) == 0;
}

/* false: one of them is no common case. */
static HYB_HOT bool look_up(struct hyb_order *order, int count, const MPI_Request *requests)
{
	uint64_t *posts = order->pending->posts;
	uint64_t open = 0;
	uint64_t any_tag = 0;

	last.order = NULL;
	for (int i = 0; i < count; i++) {
		const struct hyb_posts_slot *slot = &hyb_posts.slots[hyb_posts_look(hyb_posts_key(requests[i]))];

		last.requests[i] = requests[i];
		posts[i] = 0;
		if (!slot->key)
			continue;
		if (hyb_unlikely(slot->post.owner != order || slot->post.shadow))
			return false;
		posts[i] = slot->post.number + 1;
		open |= UINT64_C(1) << i;
		any_tag |= (uint64_t)slot->post.any_tag << i;
	}
	last.order = order;
	last.changes = hyb_posts.changes;
	last.count = count;
	last.open = open;
	last.any_tag = any_tag;
	return true;
}

bool hyb_set_begin(struct hyb_set *set, int count, const MPI_Request *requests, MPI_Status *statuses,
		   enum hyb_order_pending_way way)
{
	struct hyb_order *order = hyb_order_mine();
	const bool ignores = statuses == MPI_STATUSES_IGNORE || statuses == MPI_STATUS_IGNORE;
	struct hyb_order_pending *area = order->pending;
	MPI_Status *filled;

	if (hyb_unlikely(order->replays || hyb_posts_is_multiple() || !area || area->way || count < 0 ||
			 count > HYB_ORDER_PENDING_REQUESTS))
		return false;
	if (!is_last(order, count, requests) && !look_up(order, count, requests))
		return false;
	set->order = order;
	set->statuses = statuses;
	set->open = last.open;
	if (!last.open) {
		order->pending_keeps = true;
		return true;
	}
	filled = hyb_pending_begin(&set->pending, order, count, way == HYB_ORDER_PENDING_ANY ? 1 : count,
				   ignores ? NULL : statuses);
	if (hyb_unlikely(!filled))
		return false;
	order->pending_keeps = true;
	set->statuses = filled;
	area->indices[0] = MPI_UNDEFINED;
	hyb_pending_may(&set->pending, way);
	return true;
}

/* got: it has, with or without an error. */
static HYB_HOT void completed(const struct hyb_set *set, int index, bool ok, const MPI_Status *status)
{
	const uint64_t number = set->pending.area->posts[index] - 1;

	hyb_posts_take_number(last.requests[index], set->order, number);
	hyb_batch_tell(set->order, number, last.any_tag >> index & 1, ok || hyb_pending_is_filled(status), status);
}

void hyb_set_found_nothing(const struct hyb_set *set)
{
	if (set->open)
		__atomic_store_n(&set->pending.area->way, HYB_ORDER_PENDING_NOT, __ATOMIC_RELEASE);
}

void hyb_set_completed_all(const struct hyb_set *set, int ret)
{
	for (uint64_t open = set->open; open; open &= open - 1) {
		const int index = __builtin_ctzll(open);
		const MPI_Status *status = &set->statuses[index];
		const int error = hyb_unlikely(ret == MPI_ERR_IN_STATUS) ? status->MPI_ERROR : ret;

		if (hyb_likely(error != MPI_ERR_PENDING))
			completed(set, index, error == MPI_SUCCESS, status);
	}
	if (set->open)
		hyb_pending_over(&set->pending);
}

void hyb_set_completed_some(const struct hyb_set *set, int ret, int count, const int *indices)
{
	for (int k = 0; set->open && k < count; k++) {
		const MPI_Status *status = &set->statuses[k];
		const bool ok = ret == MPI_SUCCESS || (ret == MPI_ERR_IN_STATUS && status->MPI_ERROR == MPI_SUCCESS);

		if (indices[k] >= 0 && indices[k] < 64 && set->open >> indices[k] & 1)
			completed(set, indices[k], ok, status);
	}
	if (set->open)
		hyb_pending_over(&set->pending);
}
