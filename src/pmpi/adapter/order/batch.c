/* SPDX-License-Identifier: BSD-3-Clause */
/* The requests of a call that completes some; see batch.h. */
#include "pmpi/adapter/order/batch.h"

#include "pmpi/adapter/order/held.h"
#include "pmpi/adapter/order/sends.h"

static bool has_open(int count, const MPI_Request *requests)
{
	struct hyb_order_post post;

	for (int i = 0; i < count; i++) {
		if (requests[i] != MPI_REQUEST_NULL && hyb_posts_find(requests[i], &post))
			return true;
	}
	return false;
}

/* Memory for more than a few. */
static bool make_room(struct hyb_batch *batch)
{
	const size_t count = (size_t)batch->count;

	batch->items = batch->few_items;
	if (hyb_likely(batch->count <= HYB_BATCH_FEW))
		return true;
	batch->items = hyb_call_memory_get(&batch->room, count * (sizeof(*batch->items) + sizeof(MPI_Request) +
								  sizeof(MPI_Status)));
	return batch->items != NULL;
}

/* Where a replay puts what MPI is to get; after them there is room for statuses. */
static MPI_Request *own_requests(struct hyb_batch *batch)
{
	return batch->count <= HYB_BATCH_FEW ? batch->few_requests : (MPI_Request *)(batch->items + batch->count);
}

static MPI_Status *own_statuses(struct hyb_batch *batch)
{
	return batch->count <= HYB_BATCH_FEW ? batch->few_statuses : (MPI_Status *)(own_requests(batch) + batch->count);
}

/* Takes the open ones out. */
static int take_open(const MPI_Request *requests, int count, struct hyb_batch_item *items)
{
	int open = 0;

	for (int i = 0; i < count && hyb_posts_any(); i++) {
		struct hyb_batch_item *item = &items[open];

		if (requests[i] == MPI_REQUEST_NULL || !hyb_posts_take_one(requests[i], &item->post))
			continue;
		item->index = i;
		item->complete = false;
		item->was = requests[i];
		open++;
	}
	return open;
}

/* In a replay: MPI gets the shadows of those that have one. */
static void replace(struct hyb_batch *batch)
{
	batch->requests = own_requests(batch);
	for (int i = 0; i < batch->count; i++)
		batch->requests[i] = batch->given[i];
	for (int k = 0; k < batch->open; k++) {
		const struct hyb_batch_item *item = &batch->items[k];

		if (item->post.shadow && item->post.active)
			batch->requests[item->index] = item->post.shadow->posted;
	}
}

void hyb_batch_release(struct hyb_batch *batch, int first, int end)
{
	for (int k = 0; k < batch->open; k++) {
		const struct hyb_batch_item *item = &batch->items[k];

		if (item->index < first || item->index >= end || item->complete)
			continue;
		if (!item->post.shadow || !item->post.active)
			continue;
		if (hyb_post_is_held(&item->post))
			hyb_held_release();
		/* With the first of them all are posted. */
		batch->requests[item->index] = item->post.shadow->posted;
	}
}

void hyb_batch_leave_sends(struct hyb_batch *batch, int first, int end, bool all)
{
	for (int k = 0; k < batch->open; k++) {
		struct hyb_batch_item *item = &batch->items[k];
		int complete = 0;

		if (item->index < first || item->index >= end || item->complete || !hyb_post_is_send(&item->post))
			continue;
		if (item->post.shadow->cancelled || (!all && !item->post.shadow->told))
			continue;
		PMPI_Request_get_status(item->was, &complete, MPI_STATUS_IGNORE);
		if (complete)
			continue;
		hyb_send_leave(item->post.shadow);
		batch->requests[item->index] = MPI_REQUEST_NULL;
		item->complete = true;
		batch->left--;
	}
}

void hyb_batch_release_all(struct hyb_batch *batch, bool awaits)
{
	hyb_batch_release(batch, 0, batch->count);
	if (awaits)
		hyb_batch_leave_sends(batch, 0, batch->count, false);
	if (awaits && hyb_held_any())
		hyb_held_await(batch->count, batch->requests);
}

/* What MPI fills; the posts among it are this thread's only. */
static void expect(struct hyb_batch *batch, struct hyb_order *order, enum hyb_order_pending_way way)
{
	const int statuses = way == HYB_ORDER_PENDING_ANY ? 1 : batch->count;
	MPI_Status *filled;
	uint64_t *posts;

	filled = hyb_pending_begin(&batch->pending, order, batch->count, statuses,
				   batch->ignores ? NULL : batch->statuses);
	if (hyb_unlikely(!filled))
		return;
	batch->statuses = filled;
	posts = batch->pending.area->posts;
	for (int i = 0; i < batch->count; i++)
		posts[i] = 0;
	for (int k = 0; k < batch->open; k++) {
		const struct hyb_batch_item *item = &batch->items[k];

		if (item->post.active && item->post.owner == order)
			posts[item->index] = item->post.number + 1;
	}
	batch->pending.area->indices[0] = MPI_UNDEFINED;
	hyb_pending_may(&batch->pending, way);
}

/* Statuses are our own where the program wants none and open receives are among the requests. */
void hyb_batch_begin(struct hyb_batch *batch, int count, MPI_Request *requests, MPI_Status *statuses,
		     enum hyb_order_pending_way way)
{
	struct hyb_order *order = hyb_order_mine();

	batch->given = requests;
	batch->requests = requests;
	batch->statuses = statuses;
	batch->ignores = statuses == MPI_STATUSES_IGNORE || statuses == MPI_STATUS_IGNORE;
	batch->replays = order->replays;
	batch->count = count;
	batch->open = 0;
	batch->left = 0;
	batch->pending.area = NULL;
	batch->room.mapped = NULL;
	if (!hyb_posts_any() || (count > HYB_BATCH_FEW && !has_open(count, requests)) || !make_room(batch))
		return;
	batch->open = take_open(requests, count, batch->items);
	batch->left = batch->open;
	if (!batch->open)
		return;
	if (batch->ignores)
		batch->statuses = own_statuses(batch);
	/* MPI's own functions may keep what they know of an array by its place: so it stays where it is otherwise. */
	if (hyb_unlikely(order->replays))
		replace(batch);
	else
		expect(batch, order, way);
}

/* What becomes of another thread's receive without a message only that may tell, and cannot: it stays open. */
static void record_foreign(struct hyb_order *order, const struct hyb_order_post *post, bool ok,
			   const MPI_Status *status)
{
	if (ok && !hyb_batch_was_cancelled(status))
		hyb_order_foreign(order, post->owner->number, post->number, status->MPI_SOURCE, status->MPI_TAG);
}

/* A persistent one is complete, and there still; or one that was held. */
static void completed_shadow(struct hyb_batch *batch, struct hyb_batch_item *item)
{
	if (item->post.shadow->sends) {
		hyb_send_over(item->post.shadow);
		return;
	}
	if (item->post.stands_in) {
		hyb_held_end(item->was, item->post.shadow);
		batch->requests[item->index] = MPI_REQUEST_NULL;
		return;
	}
	if (item->post.active)
		item->post.shadow->posted = MPI_REQUEST_NULL;
	item->post.active = false;
	batch->requests[item->index] = item->was;
	hyb_posts_put(item->was, &item->post);
}

static HYB_HOT void completed(struct hyb_batch *batch, struct hyb_order *order, struct hyb_batch_item *item, bool ok,
			      const MPI_Status *status)
{
	const struct hyb_order_post *post = &item->post;
	const bool got = ok || (batch->pending.area && hyb_pending_is_filled(status));

	/* It is under way still: the call failed for another reason. */
	if (hyb_unlikely(hyb_post_is_send(post) && batch->requests[item->index] != MPI_REQUEST_NULL))
		return;
	if (post->active && !batch->replays && post->owner == order)
		hyb_batch_tell(order, post->number, post->any_tag, got, status);
	else if (post->active && !batch->replays)
		record_foreign(order, post, ok, status);
	item->complete = true;
	batch->left--;
	if (hyb_unlikely(item->post.shadow != NULL))
		completed_shadow(batch, item);
}

void hyb_batch_completed_all(struct hyb_batch *batch, int ret)
{
	struct hyb_order *order = hyb_order_mine();

	for (int k = 0; k < batch->open; k++) {
		struct hyb_batch_item *item = &batch->items[k];
		const MPI_Status *status = &batch->statuses[item->index];
		const int error = hyb_unlikely(ret == MPI_ERR_IN_STATUS) ? status->MPI_ERROR : ret;

		if (hyb_likely(error != MPI_ERR_PENDING && !item->complete))
			completed(batch, order, item, error == MPI_SUCCESS, status);
	}
}

/* NULL: it is none, or complete. */
static struct hyb_batch_item *find_item(struct hyb_batch *batch, int index)
{
	int low = 0;
	int high = batch->open;

	while (low < high) {
		const int middle = low + (high - low) / 2;

		if (batch->items[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == batch->open || batch->items[low].index != index || batch->items[low].complete)
		return NULL;
	return &batch->items[low];
}

void hyb_batch_completed_some(struct hyb_batch *batch, int ret, int count, const int *indices)
{
	struct hyb_order *order = hyb_order_mine();

	for (int k = 0; batch->left && k < count; k++) {
		const bool ok = ret == MPI_SUCCESS ||
			(ret == MPI_ERR_IN_STATUS && batch->statuses[k].MPI_ERROR == MPI_SUCCESS);
		struct hyb_batch_item *item = find_item(batch, indices[k]);

		if (item)
			completed(batch, order, item, ok, &batch->statuses[k]);
	}
}

void hyb_batch_put_back(struct hyb_batch *batch)
{
	for (int i = 0; batch->requests != batch->given && i < batch->count; i++)
		batch->given[i] = batch->requests[i];
	for (int k = 0; k < batch->open; k++) {
		const struct hyb_batch_item *item = &batch->items[k];

		if (item->complete)
			continue;
		hyb_posts_put(item->was, &item->post);
		if (batch->requests != batch->given)
			batch->given[item->index] = item->was;
	}
}
