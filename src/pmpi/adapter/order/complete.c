/* SPDX-License-Identifier: BSD-3-Clause */
/* What completes one request or all of them, and tests of that; see complete.h. */
#include "pmpi/adapter/order/complete.h"
#include "pmpi/adapter/order/sends.h"

static __attribute__((noinline)) void record_true(int ret)
{
	if (ret != MPI_SUCCESS)
		hyb_complete_failed();
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

HYB_OTHERWISE int wait_otherwise(MPI_Request *request, MPI_Status *status)
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

	if (hyb_likely(!hyb_posts_any()) || hyb_complete_is_inside())
		return HYB_ORDER_CALL(MPI_Wait, request, status);
	if (!hyb_set_begin(&set, 1, request, status, HYB_ORDER_PENDING_ALL))
		return wait_otherwise(request, status);
	ret = HYB_ORDER_CALL(MPI_Wait, request, set.statuses);
	hyb_set_completed_all(&set, ret);
	return ret;
}

HYB_OTHERWISE int waitall_otherwise(int count, MPI_Request *requests, MPI_Status *statuses)
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

	if (!hyb_posts_any() || hyb_complete_is_inside())
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

HYB_OTHERWISE int test_otherwise(MPI_Request *request, int *flag, MPI_Status *status)
{
	bool forced = false;
	struct hyb_batch batch;
	int ret;

	if (!replay_test(hyb_complete_replay(), "MPI_Test", &forced)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	hyb_batch_begin(&batch, 1, request, status, HYB_ORDER_PENDING_TEST);
	/* Sends first, since held receives are waited for otherwise. */
	if (hyb_unlikely(batch.replays)) {
		hyb_batch_leave_sends(&batch, 0, batch.count, forced);
		hyb_batch_release_all(&batch, forced);
	}
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

HYB_OTHERWISE int test_open(MPI_Request *request, int *flag, MPI_Status *status)
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
	if (!hyb_complete_is_plain(order))
		return test_open(request, flag, status);
	ret = HYB_ORDER_CALL(MPI_Test, request, flag, status);
	record_test(ret, *flag);
	return ret;
}

HYB_OTHERWISE int testall_otherwise(int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
	bool forced = false;
	struct hyb_batch batch;
	int ret;

	if (!replay_test(hyb_complete_replay(), "MPI_Testall", &forced)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	hyb_batch_begin(&batch, count, requests, statuses, HYB_ORDER_PENDING_TEST);
	/* Sends first, since held receives are waited for otherwise. */
	if (hyb_unlikely(batch.replays)) {
		hyb_batch_leave_sends(&batch, 0, batch.count, forced);
		hyb_batch_release_all(&batch, forced);
	}
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

HYB_OTHERWISE int testall_open(int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
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
	if (!hyb_complete_is_plain(order))
		return testall_open(count, requests, flag, statuses);
	ret = HYB_ORDER_CALL(MPI_Testall, count, requests, flag, statuses);
	record_test(ret, *flag);
	return ret;
}

/* Until it is complete, if it is to be. Of a send with a copy the program is told so, even if it is not yet. */
static int get_status(MPI_Request request, bool forced, struct hyb_order_shadow *send, int *flag, MPI_Status *status)
{
	int ret;

	do
		ret = HYB_ORDER_CALL(MPI_Request_get_status, request, flag, status);
	while (forced && !send && ret == MPI_SUCCESS && !*flag);
	if (!forced || !send || ret != MPI_SUCCESS)
		return ret;
	send->told = true;
	return *flag ? ret : PMPI_Request_get_status(MPI_REQUEST_NULL, flag, status);
}

int hyb_order_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	struct hyb_order_shadow *send = NULL;
	struct hyb_order_post post;
	bool forced = false;
	int ret;

	if (hyb_complete_is_inside())
		return HYB_ORDER_CALL(MPI_Request_get_status, request, flag, status);
	if (!replay_test(hyb_complete_replay(), "MPI_Request_get_status", &forced)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	if (hyb_order_replays() && request != MPI_REQUEST_NULL && hyb_posts_find(request, &post) && post.shadow &&
	    post.active) {
		if (hyb_post_is_held(&post))
			hyb_held_release();
		request = post.shadow->posted;
		send = hyb_post_is_send(&post) ? post.shadow : NULL;
	}
	ret = get_status(request, forced, send, flag, status);
	if (!hyb_order_replays())
		record_test(ret, *flag);
	return ret;
}

int hyb_order_Win_test(MPI_Win win, int *flag)
{
	bool forced = false;
	int ret;

	if (hyb_complete_is_inside())
		return HYB_ORDER_CALL(MPI_Win_test, win, flag);
	if (!replay_test(hyb_complete_replay(), "MPI_Win_test", &forced)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	if (forced) {
		ret = HYB_ORDER_CALL(MPI_Win_wait, win);
		*flag = 1;
	} else {
		ret = HYB_ORDER_CALL(MPI_Win_test, win, flag);
	}
	if (!hyb_order_replays())
		record_test(ret, *flag);
	return ret;
}

#ifdef HYB_HAS_MPI_Parrived
/* There is no call that waits for a part. */
int hyb_order_Parrived(MPI_Request request, int partition, int *flag)
{
	bool forced = false;
	int ret;

	if (hyb_complete_is_inside())
		return HYB_ORDER_CALL(MPI_Parrived, request, partition, flag);
	if (!replay_test(hyb_complete_replay(), "MPI_Parrived", &forced)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	do
		ret = HYB_ORDER_CALL(MPI_Parrived, request, partition, flag);
	while (forced && ret == MPI_SUCCESS && !*flag);
	if (!hyb_order_replays())
		record_test(ret, *flag);
	return ret;
}
#endif
