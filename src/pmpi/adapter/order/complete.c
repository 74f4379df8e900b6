/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What completes requests, and tests of them. In a replay a call waits for what was complete, and nothing else; batch.h
 * has what becomes of open receives. Where there are none, and nothing is replayed, a call is made as it is, and only
 * what it said is written down.
 */
#include "pmpi/adapter/order/batch.h"
#include "pmpi/adapter/order/held.h"
#include "pmpi/adapter/order/replay.h"
#include "pmpi/adapter/order/set.h"

/* What is done otherwise: a batch is large, and a plain call is not to pay for its place on the stack. */
#define OTHERWISE static __attribute__((noinline))

/* Nothing is to be done before the call. */
static inline bool is_plain(const struct hyb_order *order)
{
	return hyb_likely(!order->replays && !hyb_posts_any());
}

static void record_failed(void)
{
	hyb_order_outcome(hyb_order_mine(), HYB_ORDER_OTHER, HYB_ORDER_FAILED);
}

static __attribute__((noinline)) void record_true(int ret)
{
	if (ret != MPI_SUCCESS)
		record_failed();
	else
		hyb_order_outcome(hyb_order_mine(), HYB_ORDER_OTHER, HYB_ORDER_YES);
}

/* What a test of one or all requests said. */
static inline void record_test(int ret, bool flag)
{
	if (hyb_likely(ret == MPI_SUCCESS && !flag))
		hyb_order_no(hyb_order_mine());
	else
		record_true(ret);
}

static void record_index(int ret, int index)
{
	if (ret != MPI_SUCCESS)
		record_failed();
	else
		hyb_order_outcome(hyb_order_mine(), HYB_ORDER_INDEX, index == MPI_UNDEFINED ? 0 : (uint64_t)index + 1);
}

static void record_testany(int ret, bool flag, int index)
{
	if (ret == MPI_SUCCESS && !flag)
		hyb_order_no(hyb_order_mine());
	else
		record_index(ret, index);
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

static void record_testsome(int ret, int done, const int *indices)
{
	if (ret == MPI_SUCCESS && done == 0)
		hyb_order_no(hyb_order_mine());
	else
		record_some(ret, done, indices);
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

OTHERWISE int wait_otherwise(MPI_Request *request, MPI_Status *status)
{
	struct hyb_batch batch;
	int ret;

	hyb_batch_begin(&batch, 1, request, status, HYB_ORDER_PENDING_ALL);
	if (hyb_unlikely(batch.replays))
		hyb_batch_release_all(&batch, true);
	ret = HYB_ORDER_CALL(MPI_Wait, batch.requests, batch.statuses);
	hyb_batch_completed_all(&batch, ret);
	hyb_batch_end(&batch);
	return ret;
}

int hyb_order_Wait(MPI_Request *request, MPI_Status *status)
{
	struct hyb_set set;
	int ret;

	if (hyb_likely(!hyb_posts_any()) || is_inside())
		return HYB_ORDER_CALL(MPI_Wait, request, status);
	if (!hyb_set_begin(&set, 1, request, status, HYB_ORDER_PENDING_ALL))
		return wait_otherwise(request, status);
	ret = HYB_ORDER_CALL(MPI_Wait, request, set.statuses);
	hyb_set_completed_all(&set, ret);
	return ret;
}

OTHERWISE int waitall_otherwise(int count, MPI_Request *requests, MPI_Status *statuses)
{
	struct hyb_batch batch;
	int ret;

	hyb_batch_begin(&batch, count, requests, statuses, HYB_ORDER_PENDING_ALL);
	if (hyb_unlikely(batch.replays))
		hyb_batch_release_all(&batch, true);
	ret = HYB_ORDER_CALL(MPI_Waitall, count, batch.requests, batch.statuses);
	hyb_batch_completed_all(&batch, ret);
	hyb_batch_end(&batch);
	return ret;
}

int hyb_order_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
	struct hyb_set set;
	int ret;

	if (!hyb_posts_any() || is_inside())
		return HYB_ORDER_CALL(MPI_Waitall, count, requests, statuses);
	if (!hyb_set_begin(&set, count, requests, statuses, HYB_ORDER_PENDING_ALL))
		return waitall_otherwise(count, requests, statuses);
	ret = HYB_ORDER_CALL(MPI_Waitall, count, requests, set.statuses);
	hyb_set_completed_all(&set, ret);
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

static void set_tested(const struct hyb_set *set, int ret, bool flag)
{
	if (flag || ret != MPI_SUCCESS)
		hyb_set_completed_all(set, ret);
	else
		hyb_set_found_nothing(set);
}

OTHERWISE int test_otherwise(MPI_Request *request, int *flag, MPI_Status *status)
{
	bool forced = false;
	struct hyb_batch batch;
	int ret;

	if (!replay_test(replay_of(), "MPI_Test", &forced)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	hyb_batch_begin(&batch, 1, request, status, HYB_ORDER_PENDING_TEST);
	if (hyb_unlikely(batch.replays))
		hyb_batch_release_all(&batch, forced);
	*flag = forced;
	ret = forced ? HYB_ORDER_CALL(MPI_Wait, batch.requests, batch.statuses) :
		       HYB_ORDER_CALL(MPI_Test, batch.requests, flag, batch.statuses);
	if (*flag || ret != MPI_SUCCESS)
		hyb_batch_completed_all(&batch, ret);
	hyb_batch_end(&batch);
	if (!hyb_order_replays())
		record_test(ret, *flag);
	return ret;
}

OTHERWISE int test_open(MPI_Request *request, int *flag, MPI_Status *status)
{
	struct hyb_set set;
	int ret;

	if (!hyb_set_begin(&set, 1, request, status, HYB_ORDER_PENDING_TEST))
		return test_otherwise(request, flag, status);
	*flag = 0;
	ret = HYB_ORDER_CALL(MPI_Test, request, flag, set.statuses);
	set_tested(&set, ret, *flag);
	record_test(ret, *flag);
	return ret;
}

int hyb_order_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	const struct hyb_order *order = hyb_order_mine();
	int ret;

	if (order->inside)
		return HYB_ORDER_CALL(MPI_Test, request, flag, status);
	if (!is_plain(order))
		return test_open(request, flag, status);
	ret = HYB_ORDER_CALL(MPI_Test, request, flag, status);
	record_test(ret, *flag);
	return ret;
}

OTHERWISE int testall_otherwise(int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
	bool forced = false;
	struct hyb_batch batch;
	int ret;

	if (!replay_test(replay_of(), "MPI_Testall", &forced)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	hyb_batch_begin(&batch, count, requests, statuses, HYB_ORDER_PENDING_TEST);
	if (hyb_unlikely(batch.replays))
		hyb_batch_release_all(&batch, forced);
	*flag = forced;
	ret = forced ? HYB_ORDER_CALL(MPI_Waitall, count, batch.requests, batch.statuses) :
		       HYB_ORDER_CALL(MPI_Testall, count, batch.requests, flag, batch.statuses);
	if (*flag || ret != MPI_SUCCESS)
		hyb_batch_completed_all(&batch, ret);
	hyb_batch_end(&batch);
	if (!hyb_order_replays())
		record_test(ret, *flag);
	return ret;
}

OTHERWISE int testall_open(int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
	struct hyb_set set;
	int ret;

	if (!hyb_set_begin(&set, count, requests, statuses, HYB_ORDER_PENDING_TEST))
		return testall_otherwise(count, requests, flag, statuses);
	*flag = 0;
	ret = HYB_ORDER_CALL(MPI_Testall, count, requests, flag, set.statuses);
	set_tested(&set, ret, *flag);
	record_test(ret, *flag);
	return ret;
}

int hyb_order_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
	const struct hyb_order *order = hyb_order_mine();
	int ret;

	if (order->inside)
		return HYB_ORDER_CALL(MPI_Testall, count, requests, flag, statuses);
	if (!is_plain(order))
		return testall_open(count, requests, flag, statuses);
	ret = HYB_ORDER_CALL(MPI_Testall, count, requests, flag, statuses);
	record_test(ret, *flag);
	return ret;
}

/* Waits for the request of that index + 1 of the recording. */
static int wait_for(struct hyb_batch *batch, const char *function, uint64_t index, MPI_Status *status)
{
	if (!index || index > (uint64_t)batch->count || batch->requests[index - 1] == MPI_REQUEST_NULL)
		hyb_replay_diverged(function, "it was one that is under way", "request number %llu is to be complete", index);
	hyb_batch_release(batch, (int)index - 1, (int)index);
	if (hyb_held_any())
		hyb_held_await(1, &batch->requests[index - 1]);
	return HYB_ORDER_CALL(MPI_Wait, &batch->requests[index - 1], status);
}

/* Where MPI is to put the index. */
static int *index_of(struct hyb_batch *batch, int *own)
{
	return batch->pending.area ? &batch->pending.area->indices[0] : own;
}

/* Which one of several is complete, as it was; false: what MPI says. With 0 none is under way: it says so at once. */
static bool replay_index(struct hyb_replay *replay, struct hyb_batch *batch, const char *function, int *index, int *ret)
{
	uint64_t detail;

	if (!replay || !hyb_replay_take(replay, function, HYB_ORDER_INDEX, &detail) || !detail) {
		if (batch->replays)
			hyb_batch_release_all(batch, false);
		return false;
	}
	*ret = wait_for(batch, function, detail, batch->statuses);
	*index = (int)detail - 1;
	return true;
}

OTHERWISE int waitany_otherwise(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
	int which = MPI_UNDEFINED;	/* on an error the MPI may leave it alone */
	struct hyb_batch batch;
	int ret;

	hyb_batch_begin(&batch, count, requests, status, HYB_ORDER_PENDING_ANY);
	if (!replay_index(replay_of(), &batch, "MPI_Waitany", &which, &ret))
		ret = HYB_ORDER_CALL(MPI_Waitany, count, batch.requests, index_of(&batch, &which), batch.statuses);
	which = *index_of(&batch, &which);
	if (which >= 0 && which < count)
		hyb_batch_completed_some(&batch, ret, 1, &which);
	hyb_batch_end(&batch);
	if (!hyb_order_replays())
		record_index(ret, which);
	*index = which;
	return ret;
}

OTHERWISE int waitany_open(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
	int which = MPI_UNDEFINED;
	struct hyb_set set;
	int ret;

	if (!hyb_set_begin(&set, count, requests, status, HYB_ORDER_PENDING_ANY))
		return waitany_otherwise(count, requests, index, status);
	ret = HYB_ORDER_CALL(MPI_Waitany, count, requests, hyb_set_indices(&set, &which), set.statuses);
	which = *hyb_set_indices(&set, &which);
	hyb_set_completed_some(&set, ret, 1, &which);
	record_index(ret, which);
	*index = which;
	return ret;
}

int hyb_order_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
	const struct hyb_order *order = hyb_order_mine();
	int ret;

	if (order->inside)
		return HYB_ORDER_CALL(MPI_Waitany, count, requests, index, status);
	if (!is_plain(order))
		return waitany_open(count, requests, index, status);
	ret = HYB_ORDER_CALL(MPI_Waitany, count, requests, index, status);
	record_index(ret, *index);
	return ret;
}

OTHERWISE int testany_otherwise(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
	int which = MPI_UNDEFINED;
	struct hyb_replay *replay;
	struct hyb_batch batch;
	int ret;

	replay = replay_of();
	if (replay && hyb_replay_is_no(replay, "MPI_Testany")) {
		*index = MPI_UNDEFINED;
		*flag = 0;
		return MPI_SUCCESS;
	}
	hyb_batch_begin(&batch, count, requests, status, HYB_ORDER_PENDING_ANY);
	*flag = 1;
	if (!replay_index(replay, &batch, "MPI_Testany", &which, &ret))
		ret = HYB_ORDER_CALL(MPI_Testany, count, batch.requests, index_of(&batch, &which), flag,
				     batch.statuses);
	which = *index_of(&batch, &which);
	if ((*flag || ret != MPI_SUCCESS) && which >= 0 && which < count)
		hyb_batch_completed_some(&batch, ret, 1, &which);
	hyb_batch_end(&batch);
	*index = which;
	if (!hyb_order_replays())
		record_testany(ret, *flag, which);
	return ret;
}

OTHERWISE int testany_open(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
	int which = MPI_UNDEFINED;
	struct hyb_set set;
	int ret;

	if (!hyb_set_begin(&set, count, requests, status, HYB_ORDER_PENDING_ANY))
		return testany_otherwise(count, requests, index, flag, status);
	*flag = 1;
	ret = HYB_ORDER_CALL(MPI_Testany, count, requests, hyb_set_indices(&set, &which), flag, set.statuses);
	which = *hyb_set_indices(&set, &which);
	if (*flag || ret != MPI_SUCCESS)
		hyb_set_completed_some(&set, ret, 1, &which);
	else
		hyb_set_found_nothing(&set);
	record_testany(ret, *flag, which);
	*index = which;
	return ret;
}

int hyb_order_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
	const struct hyb_order *order = hyb_order_mine();
	int ret;

	if (order->inside)
		return HYB_ORDER_CALL(MPI_Testany, count, requests, index, flag, status);
	if (!is_plain(order))
		return testany_open(count, requests, index, flag, status);
	ret = HYB_ORDER_CALL(MPI_Testany, count, requests, index, flag, status);
	record_testany(ret, *flag, *index);
	return ret;
}

/* Which ones are complete, as it was; false: what MPI says. */
static bool replay_some(struct hyb_replay *replay, struct hyb_batch *batch, const char *function, int *done,
			int *indices, int *ret)
{
	const bool ignored = batch->statuses == MPI_STATUSES_IGNORE;
	uint64_t detail;

	if (!replay || !hyb_replay_take(replay, function, HYB_ORDER_SOME, &detail) || !detail) {
		if (batch->replays)
			hyb_batch_release_all(batch, false);
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
		const char *function, struct hyb_batch *batch, int *done, int *indices)
{
	struct hyb_order_pending *area = batch->pending.area;
	int ret;

	if (!replay_some(replay, batch, function, done, indices, &ret))
		ret = next(batch->count, batch->requests, area ? &area->done : done, area ? area->indices : indices,
			   batch->statuses);
	if (area) {
		*done = area->done;
		for (int k = 0; k < *done && k < batch->count; k++)
			indices[k] = area->indices[k];
	}
	if (*done != MPI_UNDEFINED && (ret == MPI_SUCCESS || ret == MPI_ERR_IN_STATUS))
		hyb_batch_completed_some(batch, ret, *done, indices);
	hyb_batch_end(batch);
	return ret;
}

/* What MPI_Waitsome or MPI_Testsome told becomes the program's. */
static void set_some(const struct hyb_set *set, int ret, int *done, int *indices)
{
	if (set->open) {
		*done = *hyb_set_done(set, done);
		for (int k = 0; k < *done && k < HYB_ORDER_PENDING_REQUESTS; k++)
			indices[k] = set->pending.area->indices[k];
	}
	if ((*done == 0 && ret == MPI_SUCCESS) || (ret != MPI_SUCCESS && ret != MPI_ERR_IN_STATUS))
		hyb_set_found_nothing(set);
	else
		hyb_set_completed_some(set, ret, *done == MPI_UNDEFINED ? 0 : *done, indices);
}

OTHERWISE int waitsome_otherwise(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
	struct hyb_batch batch;
	int ret;

	hyb_batch_begin(&batch, count, requests, statuses, HYB_ORDER_PENDING_SOME);
	ret = some(next_waitsome, replay_of(), "MPI_Waitsome", &batch, done, indices);
	if (!hyb_order_replays())
		record_some(ret, *done, indices);
	return ret;
}

OTHERWISE int waitsome_open(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
	struct hyb_set set;
	int ret;

	if (!hyb_set_begin(&set, count, requests, statuses, HYB_ORDER_PENDING_SOME))
		return waitsome_otherwise(count, requests, done, indices, statuses);
	ret = HYB_ORDER_CALL(MPI_Waitsome, count, requests, hyb_set_done(&set, done), hyb_set_indices(&set, indices),
			     set.statuses);
	set_some(&set, ret, done, indices);
	record_some(ret, *done, indices);
	return ret;
}

int hyb_order_Waitsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
	const struct hyb_order *order = hyb_order_mine();
	int ret;

	if (order->inside)
		return HYB_ORDER_CALL(MPI_Waitsome, count, requests, done, indices, statuses);
	if (!is_plain(order))
		return waitsome_open(count, requests, done, indices, statuses);
	ret = HYB_ORDER_CALL(MPI_Waitsome, count, requests, done, indices, statuses);
	record_some(ret, *done, indices);
	return ret;
}

OTHERWISE int testsome_otherwise(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
	struct hyb_replay *replay;
	struct hyb_batch batch;
	int ret;

	replay = replay_of();
	if (replay && hyb_replay_is_no(replay, "MPI_Testsome")) {
		*done = 0;
		return MPI_SUCCESS;
	}
	hyb_batch_begin(&batch, count, requests, statuses, HYB_ORDER_PENDING_SOME);
	ret = some(next_testsome, replay, "MPI_Testsome", &batch, done, indices);
	if (!hyb_order_replays())
		record_testsome(ret, *done, indices);
	return ret;
}

OTHERWISE int testsome_open(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
	struct hyb_set set;
	int ret;

	if (!hyb_set_begin(&set, count, requests, statuses, HYB_ORDER_PENDING_SOME))
		return testsome_otherwise(count, requests, done, indices, statuses);
	ret = HYB_ORDER_CALL(MPI_Testsome, count, requests, hyb_set_done(&set, done), hyb_set_indices(&set, indices),
			     set.statuses);
	set_some(&set, ret, done, indices);
	record_testsome(ret, *done, indices);
	return ret;
}

int hyb_order_Testsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
	const struct hyb_order *order = hyb_order_mine();
	int ret;

	if (order->inside)
		return HYB_ORDER_CALL(MPI_Testsome, count, requests, done, indices, statuses);
	if (!is_plain(order))
		return testsome_open(count, requests, done, indices, statuses);
	ret = HYB_ORDER_CALL(MPI_Testsome, count, requests, done, indices, statuses);
	record_testsome(ret, *done, indices);
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
