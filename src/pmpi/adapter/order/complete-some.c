/* SPDX-License-Identifier: BSD-3-Clause */
/* What completes any or some of several requests, and tests of that; see complete.h. */
#include "pmpi/adapter/order/complete.h"

static void record_index(int ret, int index)
{
	if (ret != MPI_SUCCESS)
		hyb_complete_failed();
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
		hyb_complete_failed();
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

/* Waits for the request of that index + 1 of the recording. */
static int wait_for(struct hyb_batch *batch, const char *function, uint64_t index, MPI_Status *status)
{
	if (!index || index > (uint64_t)batch->count || batch->requests[index - 1] == MPI_REQUEST_NULL)
		hyb_replay_diverged(function, "it was one that is under way", "request number %llu is to be complete", index);
	hyb_batch_release(batch, (int)index - 1, (int)index);
	hyb_batch_leave_sends(batch, (int)index - 1, (int)index, true);
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

HYB_OTHERWISE int waitany_otherwise(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
	int which = MPI_UNDEFINED;	/* on an error the MPI may leave it alone */
	struct hyb_batch batch;
	int ret;

	hyb_batch_begin(&batch, count, requests, status, HYB_ORDER_PENDING_ANY);
	if (!replay_index(hyb_complete_replay(), &batch, "MPI_Waitany", &which, &ret))
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

HYB_OTHERWISE int waitany_open(int count, MPI_Request *requests, int *index, MPI_Status *status)
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
	if (!hyb_complete_is_plain(order))
		return waitany_open(count, requests, index, status);
	ret = HYB_ORDER_CALL(MPI_Waitany, count, requests, index, status);
	record_index(ret, *index);
	return ret;
}

HYB_OTHERWISE int testany_otherwise(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
	int which = MPI_UNDEFINED;
	struct hyb_replay *replay;
	struct hyb_batch batch;
	int ret;

	replay = hyb_complete_replay();
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

HYB_OTHERWISE int testany_open(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
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
	if (!hyb_complete_is_plain(order))
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

HYB_OTHERWISE int waitsome_otherwise(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
	struct hyb_batch batch;
	int ret;

	hyb_batch_begin(&batch, count, requests, statuses, HYB_ORDER_PENDING_SOME);
	ret = some(next_waitsome, hyb_complete_replay(), "MPI_Waitsome", &batch, done, indices);
	if (!hyb_order_replays())
		record_some(ret, *done, indices);
	return ret;
}

HYB_OTHERWISE int waitsome_open(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
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
	if (!hyb_complete_is_plain(order))
		return waitsome_open(count, requests, done, indices, statuses);
	ret = HYB_ORDER_CALL(MPI_Waitsome, count, requests, done, indices, statuses);
	record_some(ret, *done, indices);
	return ret;
}

HYB_OTHERWISE int testsome_otherwise(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
	struct hyb_replay *replay;
	struct hyb_batch batch;
	int ret;

	replay = hyb_complete_replay();
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

HYB_OTHERWISE int testsome_open(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
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
	if (!hyb_complete_is_plain(order))
		return testsome_open(count, requests, done, indices, statuses);
	ret = HYB_ORDER_CALL(MPI_Testsome, count, requests, done, indices, statuses);
	record_testsome(ret, *done, indices);
	return ret;
}
