/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What completes requests, and tests of them. When it is recorded, open receives among them are taken out before the
 * call, since MPI may give their handles out again before it comes back, and those that it did not complete are put
 * back. In a replay a call waits for what was complete, and nothing else; persistent receives have another request in
 * their place, which was posted for the message that they got. What MPI fills of an outcome that is recorded lies in the
 * order's file meanwhile, since a message's error ends most programs in the call.
 */
#include "pmpi/adapter/order/held.h"
#include "pmpi/adapter/order/order.h"
#include "pmpi/adapter/order/replay.h"

#define FEW 32

struct item {
	MPI_Request was;
	struct hyb_order_post post;
	bool open;	/* it is one of these */
};

/* The requests of a call. */
struct batch {
	MPI_Request *given;	/* the program's */
	MPI_Request *requests;	/* what MPI gets: the same, or their replacements */
	MPI_Status *statuses;	/* the program's, or our own where those are needed; or it ignores them */
	bool ignores;
	struct item *items;	/* NULL: none is an open receive */
	int count;
	struct hyb_order_awaits pending;
	struct item few_items[FEW];
	MPI_Request few_requests[FEW];
	MPI_Status few_statuses[FEW];
	struct hyb_call_memory room;
};

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
static bool make_room(struct batch *batch)
{
	const size_t count = (size_t)batch->count;
	char *at;

	batch->items = batch->few_items;
	batch->requests = batch->few_requests;
	if (batch->count <= FEW)
		return true;
	at = hyb_call_memory_get(&batch->room, count * (sizeof(struct item) + sizeof(MPI_Request) + sizeof(MPI_Status)));
	batch->items = (struct item *)at;
	batch->requests = at ? (MPI_Request *)(batch->items + count) : NULL;
	return at != NULL;
}

/* Takes the open ones out; whether there are any. */
static bool take_open(struct batch *batch, const MPI_Request *requests, bool replays)
{
	bool any = false;

	for (int i = 0; i < batch->count; i++) {
		struct item *item = &batch->items[i];

		item->was = requests[i];
		item->open = requests[i] != MPI_REQUEST_NULL && hyb_posts_take(requests[i], &item->post);
		any |= item->open;
		if (replays)
			batch->requests[i] = item->open && item->post.shadow && item->post.active ?
				item->post.shadow->posted : requests[i];
	}
	return any;
}

/* In a replay, before MPI waits for any of these requests: none may be held (held.h). */
static void release(struct batch *batch, int first, int end)
{
	for (int i = first; batch->items && i < end; i++) {
		const struct item *item = &batch->items[i];

		if (hyb_likely(!item->open || !item->post.shadow || !item->post.active))
			continue;
		if (hyb_post_is_held(&item->post))
			hyb_held_release();
		/* With the first of them all are posted. */
		batch->requests[i] = item->post.shadow->posted;
	}
}

/* All of them, if MPI is to see them; awaits: and to wait for them. */
static void release_all(struct batch *batch, bool awaits)
{
	if (!hyb_order_replays())
		return;
	release(batch, 0, batch->count);
	if (awaits && hyb_held_any())
		hyb_held_await(batch->count, batch->requests);
}

/* Statuses are our own where the program wants none and open receives are among the requests. */
static void begin(struct batch *batch, int count, MPI_Request *requests, MPI_Status *statuses)
{
	const bool replays = hyb_order_replays();

	batch->given = requests;
	batch->requests = requests;
	batch->statuses = statuses;
	batch->items = NULL;
	batch->count = count;
	batch->pending.area = NULL;
	batch->ignores = statuses == MPI_STATUSES_IGNORE || statuses == MPI_STATUS_IGNORE;
	batch->room.mapped = NULL;
	if (!hyb_posts_any() || (count > FEW && !has_open(count, requests)))
		return;
	if (!make_room(batch) || !take_open(batch, requests, replays)) {
		batch->items = NULL;
		batch->requests = requests;
		return;
	}
	if (batch->ignores)
		batch->statuses = count <= FEW ? batch->few_statuses : (MPI_Status *)(batch->requests + count);
	/* MPI's own functions may keep what they know of an array by its place. */
	if (!replays)
		batch->requests = requests;
}

/* Before the call, of so many statuses that MPI fills; in it `way` says how. */
static void expect(struct batch *batch, enum hyb_order_pending_way way)
{
	struct hyb_order *order = hyb_order_mine();
	const int statuses = way == HYB_ORDER_PENDING_ANY ? 1 : batch->count;
	MPI_Status *filled;

	if (hyb_order_replays() || !batch->items)
		return;
	filled = hyb_pending_begin(&batch->pending, order, batch->count, statuses, batch->ignores ? NULL : batch->statuses);
	batch->statuses = filled ? filled : batch->statuses;
	for (int i = 0; i < batch->count; i++) {
		const struct item *item = &batch->items[i];

		if (item->open && item->post.active && item->post.owner == order)
			hyb_pending_set(&batch->pending, i, item->post.number);
	}
	if (batch->pending.area)
		batch->pending.area->indices[0] = MPI_UNDEFINED;
	hyb_pending_may(&batch->pending, way);
}

static bool was_cancelled(const MPI_Status *status)
{
	int flag = 0;

	if (__atomic_load_n(&hyb_order_cancels, __ATOMIC_RELAXED))
		PMPI_Test_cancelled(status, &flag);
	return flag;
}

static void record_end(const struct hyb_order_post *post, bool ok, bool filled, const MPI_Status *status)
{
	struct hyb_order *order = hyb_order_mine();

	/* What becomes of another thread's receive without a message only that may tell, and cannot: it stays open. */
	if (post->owner != order) {
		if (ok && !was_cancelled(status))
			hyb_order_foreign(order, post->owner->number, post->number, status->MPI_SOURCE, status->MPI_TAG);
		return;
	}
	/* One that was too long for its buffer has been received, too. */
	if (!ok && !filled)
		hyb_order_ended(post->owner, post->number, HYB_ORDER_GIVEN_UP);
	else if (was_cancelled(status))
		hyb_order_ended(post->owner, post->number, HYB_ORDER_CANCELLED);
	else
		hyb_order_matched(order, post->number, status->MPI_SOURCE, status->MPI_TAG, post->any_tag);
}

/* Request i is complete: a persistent one is there still. */
static void completed(struct batch *batch, int i, bool ok, const MPI_Status *status)
{
	struct item *item = &batch->items[i];

	if (!item->open)
		return;
	if (item->post.active && !hyb_order_replays())
		record_end(&item->post, ok, batch->pending.area && hyb_pending_is_filled(status), status);
	item->open = false;
	if (!item->post.shadow)
		return;
	if (item->post.stands_in) {
		hyb_held_end(item->was, item->post.shadow);
		batch->requests[i] = MPI_REQUEST_NULL;
		return;
	}
	if (item->post.active)
		item->post.shadow->posted = MPI_REQUEST_NULL;
	item->post.active = false;
	batch->requests[i] = item->was;
	hyb_posts_put(item->was, &item->post);
}

/* The others are as they were. */
static void end(struct batch *batch)
{
	hyb_pending_over(&batch->pending);
	for (int i = 0; batch->items && i < batch->count; i++) {
		const struct item *item = &batch->items[i];

		if (item->open)
			hyb_posts_put(item->was, &item->post);
		if (batch->requests != batch->given)
			batch->given[i] = item->open ? item->was : batch->requests[i];
	}
	if (batch->room.mapped)
		hyb_call_memory_free(&batch->room);
}

/* All of them, if the call succeeded; otherwise each by the error in its status. */
static void completed_all(struct batch *batch, int ret)
{
	for (int i = 0; batch->items && i < batch->count; i++) {
		const int error = ret == MPI_ERR_IN_STATUS ? batch->statuses[i].MPI_ERROR : ret;

		if (error != MPI_ERR_PENDING)
			completed(batch, i, error == MPI_SUCCESS, &batch->statuses[i]);
	}
}

/* So many, by their indices. */
static void completed_some(struct batch *batch, int ret, int count, const int *indices)
{
	for (int k = 0; batch->items && k < count; k++) {
		const bool ok = ret == MPI_SUCCESS ||
			(ret == MPI_ERR_IN_STATUS && batch->statuses[k].MPI_ERROR == MPI_SUCCESS);

		completed(batch, indices[k], ok, &batch->statuses[k]);
	}
}

static void record_failed(void)
{
	hyb_order_outcome(hyb_order_mine(), HYB_ORDER_OTHER, HYB_ORDER_FAILED);
}

/* What a test of one or all requests said. */
static void record_test(int ret, bool flag)
{
	if (ret != MPI_SUCCESS)
		record_failed();
	else if (flag)
		hyb_order_outcome(hyb_order_mine(), HYB_ORDER_OTHER, HYB_ORDER_YES);
	else
		hyb_order_no(hyb_order_mine());
}

static void record_index(int ret, int index)
{
	if (ret != MPI_SUCCESS)
		record_failed();
	else
		hyb_order_outcome(hyb_order_mine(), HYB_ORDER_INDEX, index == MPI_UNDEFINED ? 0 : (uint64_t)index + 1);
}

static void record_some(int ret, int count, const int *indices)
{
	struct hyb_order *order = hyb_order_mine();

	if (ret != MPI_SUCCESS && ret != MPI_ERR_IN_STATUS) {
		record_failed();
		return;
	}
	hyb_order_outcome(order, HYB_ORDER_SOME, count == MPI_UNDEFINED ? 0 : (uint64_t)count + 1);
	for (int k = 0; count != MPI_UNDEFINED && k < count; k++)
		hyb_order_number(order, (uint64_t)indices[k] + 1);
}

/* Whether the call comes from one of MPI's own functions of Fortran: that is looked at already. */
static bool is_inside(void)
{
	return hyb_order_mine()->inside;
}

/* Of the calling thread; NULL: this is no replay, or it runs freely. */
static struct hyb_replay *replay_of(void)
{
	return hyb_order_replays() ? hyb_replay_mine() : NULL;
}

int hyb_order_Wait(MPI_Request *request, MPI_Status *status)
{
	struct batch batch;
	int ret;

	if (hyb_likely(!hyb_posts_any()) || is_inside())
		return HYB_ORDER_CALL(MPI_Wait, request, status);
	begin(&batch, 1, request, status);
	expect(&batch, HYB_ORDER_PENDING_ALL);
	release_all(&batch, true);
	ret = HYB_ORDER_CALL(MPI_Wait, batch.requests, batch.statuses);
	completed_all(&batch, ret);
	end(&batch);
	return ret;
}

int hyb_order_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
	struct batch batch;
	int ret;

	if (!hyb_posts_any() || is_inside())
		return HYB_ORDER_CALL(MPI_Waitall, count, requests, statuses);
	begin(&batch, count, requests, statuses);
	expect(&batch, HYB_ORDER_PENDING_ALL);
	release_all(&batch, true);
	ret = HYB_ORDER_CALL(MPI_Waitall, count, batch.requests, batch.statuses);
	completed_all(&batch, ret);
	end(&batch);
	return ret;
}

/* false: nothing is complete. */
static bool replay_test(struct hyb_replay *replay, const char *function, bool *forced)
{
	if (replay && hyb_replay_is_no(replay, function))
		return false;
	*forced = replay && hyb_replay_take_other(replay, function, HYB_ORDER_YES);
	return true;
}

int hyb_order_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	bool forced = false;
	struct batch batch;
	int ret;

	if (is_inside())
		return HYB_ORDER_CALL(MPI_Test, request, flag, status);
	if (!replay_test(replay_of(), "MPI_Test", &forced)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	begin(&batch, 1, request, status);
	expect(&batch, HYB_ORDER_PENDING_TEST);
	release_all(&batch, forced);
	*flag = forced;
	ret = forced ? HYB_ORDER_CALL(MPI_Wait, batch.requests, batch.statuses) :
		       HYB_ORDER_CALL(MPI_Test, batch.requests, flag, batch.statuses);
	if (*flag || ret != MPI_SUCCESS)
		completed_all(&batch, ret);
	end(&batch);
	if (!hyb_order_replays())
		record_test(ret, *flag);
	return ret;
}

int hyb_order_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
	bool forced = false;
	struct batch batch;
	int ret;

	if (is_inside())
		return HYB_ORDER_CALL(MPI_Testall, count, requests, flag, statuses);
	if (!replay_test(replay_of(), "MPI_Testall", &forced)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	begin(&batch, count, requests, statuses);
	expect(&batch, HYB_ORDER_PENDING_TEST);
	release_all(&batch, forced);
	*flag = forced;
	ret = forced ? HYB_ORDER_CALL(MPI_Waitall, count, batch.requests, batch.statuses) :
		       HYB_ORDER_CALL(MPI_Testall, count, batch.requests, flag, batch.statuses);
	if (*flag || ret != MPI_SUCCESS)
		completed_all(&batch, ret);
	end(&batch);
	if (!hyb_order_replays())
		record_test(ret, *flag);
	return ret;
}

/* Waits for the request of that index + 1 of the recording. */
static int wait_for(struct batch *batch, const char *function, uint64_t index, MPI_Status *status)
{
	if (!index || index > (uint64_t)batch->count || batch->requests[index - 1] == MPI_REQUEST_NULL)
		hyb_replay_diverged(function, "it was one that is under way", "request number %llu is to be complete", index);
	release(batch, (int)index - 1, (int)index);
	if (hyb_held_any())
		hyb_held_await(1, &batch->requests[index - 1]);
	return HYB_ORDER_CALL(MPI_Wait, &batch->requests[index - 1], status);
}

/* Where MPI is to put the index. */
static int *index_of(struct batch *batch, int *own)
{
	return batch->pending.area ? &batch->pending.area->indices[0] : own;
}

/* Which one of several is complete, as it was; false: what MPI says. With 0 none is under way: it says so at once. */
static bool replay_index(struct hyb_replay *replay, struct batch *batch, const char *function, int *index, int *ret)
{
	uint64_t detail;

	if (!replay || !hyb_replay_take(replay, function, HYB_ORDER_INDEX, &detail) || !detail) {
		release_all(batch, false);
		return false;
	}
	*ret = wait_for(batch, function, detail, batch->statuses);
	*index = (int)detail - 1;
	return true;
}

int hyb_order_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
	int which = MPI_UNDEFINED;	/* on an error the MPI may leave it alone */
	struct batch batch;
	int ret;

	if (is_inside())
		return HYB_ORDER_CALL(MPI_Waitany, count, requests, index, status);
	begin(&batch, count, requests, status);
	expect(&batch, HYB_ORDER_PENDING_ANY);
	if (!replay_index(replay_of(), &batch, "MPI_Waitany", &which, &ret))
		ret = HYB_ORDER_CALL(MPI_Waitany, count, batch.requests, index_of(&batch, &which), batch.statuses);
	which = *index_of(&batch, &which);
	if (which >= 0 && which < count)
		completed_some(&batch, ret, 1, &which);
	end(&batch);
	if (!hyb_order_replays())
		record_index(ret, which);
	*index = which;
	return ret;
}

int hyb_order_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
	int which = MPI_UNDEFINED;
	struct hyb_replay *replay;
	struct batch batch;
	int ret;

	if (is_inside())
		return HYB_ORDER_CALL(MPI_Testany, count, requests, index, flag, status);
	replay = replay_of();
	if (replay && hyb_replay_is_no(replay, "MPI_Testany")) {
		*index = MPI_UNDEFINED;
		*flag = 0;
		return MPI_SUCCESS;
	}
	begin(&batch, count, requests, status);
	expect(&batch, HYB_ORDER_PENDING_ANY);
	*flag = 1;
	if (!replay_index(replay, &batch, "MPI_Testany", &which, &ret))
		ret = HYB_ORDER_CALL(MPI_Testany, count, batch.requests, index_of(&batch, &which), flag, batch.statuses);
	which = *index_of(&batch, &which);
	if ((*flag || ret != MPI_SUCCESS) && which >= 0 && which < count)
		completed_some(&batch, ret, 1, &which);
	end(&batch);
	*index = which;
	if (hyb_order_replays())
		return ret;
	if (ret == MPI_SUCCESS && !*flag)
		hyb_order_no(hyb_order_mine());
	else
		record_index(ret, which);
	return ret;
}

/* Which ones are complete, as it was; false: what MPI says. */
static bool replay_some(struct hyb_replay *replay, struct batch *batch, const char *function, int *done, int *indices,
			int *ret)
{
	const bool ignored = batch->statuses == MPI_STATUSES_IGNORE;
	uint64_t detail;

	if (!replay || !hyb_replay_take(replay, function, HYB_ORDER_SOME, &detail) || !detail) {
		release_all(batch, false);
		return false;
	}
	*ret = MPI_SUCCESS;
	*done = (int)detail - 1;
	for (int k = 0; k < *done; k++) {
		const uint64_t index = hyb_replay_number(replay);
		const int error = wait_for(batch, function, index, ignored ? MPI_STATUS_IGNORE : &batch->statuses[k]);

		indices[k] = (int)index - 1;
		if (error == MPI_SUCCESS)
			continue;
		if (*ret == MPI_SUCCESS && !ignored) {
			for (int before = 0; before < k; before++)
				batch->statuses[before].MPI_ERROR = MPI_SUCCESS;
		}
		*ret = MPI_ERR_IN_STATUS;
		if (!ignored)
			batch->statuses[k].MPI_ERROR = error;
	}
	return true;
}

static int next_waitsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
	return HYB_ORDER_CALL(MPI_Waitsome, count, requests, done, indices, statuses);
}

static int next_testsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
	return HYB_ORDER_CALL(MPI_Testsome, count, requests, done, indices, statuses);
}

static int some(int (*next)(int, MPI_Request *, int *, int *, MPI_Status *), struct hyb_replay *replay,
		const char *function, struct batch *batch, int *done, int *indices)
{
	struct hyb_order_pending *area = batch->pending.area;
	int ret;

	if (!replay_some(replay, batch, function, done, indices, &ret))
		ret = next(batch->count, batch->requests, area ? &area->done : done, area ? area->indices : indices, batch->statuses);
	if (area) {
		*done = area->done;
		for (int k = 0; k < *done && k < batch->count; k++)
			indices[k] = area->indices[k];
	}
	if (*done != MPI_UNDEFINED && (ret == MPI_SUCCESS || ret == MPI_ERR_IN_STATUS))
		completed_some(batch, ret, *done, indices);
	end(batch);
	return ret;
}

int hyb_order_Waitsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
	struct batch batch;
	int ret;

	if (is_inside())
		return HYB_ORDER_CALL(MPI_Waitsome, count, requests, done, indices, statuses);
	begin(&batch, count, requests, statuses);
	expect(&batch, HYB_ORDER_PENDING_SOME);
	ret = some(next_waitsome, replay_of(), "MPI_Waitsome", &batch, done, indices);
	if (!hyb_order_replays())
		record_some(ret, *done, indices);
	return ret;
}

int hyb_order_Testsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
	struct hyb_replay *replay;
	struct batch batch;
	int ret;

	if (is_inside())
		return HYB_ORDER_CALL(MPI_Testsome, count, requests, done, indices, statuses);
	replay = replay_of();
	if (replay && hyb_replay_is_no(replay, "MPI_Testsome")) {
		*done = 0;
		return MPI_SUCCESS;
	}
	begin(&batch, count, requests, statuses);
	expect(&batch, HYB_ORDER_PENDING_SOME);
	ret = some(next_testsome, replay, "MPI_Testsome", &batch, done, indices);
	if (hyb_order_replays())
		return ret;
	if (ret == MPI_SUCCESS && *done == 0)
		hyb_order_no(hyb_order_mine());
	else
		record_some(ret, *done, indices);
	return ret;
}

int hyb_order_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	struct hyb_order_post post;
	bool forced = false;
	int ret;

	if (is_inside())
		return HYB_ORDER_CALL(MPI_Request_get_status, request, flag, status);
	if (!replay_test(replay_of(), "MPI_Request_get_status", &forced)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	if (hyb_order_replays() && request != MPI_REQUEST_NULL && hyb_posts_find(request, &post) && post.shadow &&
	    post.active) {
		if (hyb_post_is_held(&post))
			hyb_held_release();
		request = post.shadow->posted;
	}
	do
		ret = HYB_ORDER_CALL(MPI_Request_get_status, request, flag, status);
	while (forced && ret == MPI_SUCCESS && !*flag);
	if (!hyb_order_replays())
		record_test(ret, *flag);
	return ret;
}
