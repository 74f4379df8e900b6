/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives and probes that name any source or any tag; see order.h. */
#include "pmpi/adapter/order/order.h"

#include <errno.h>

#include "pmpi/adapter/order/held.h"
#include "pmpi/adapter/order/replay.h"

/* What the call names is what was recorded, or any. */
static void force(const char *function, const struct hyb_replay_match *match, int *source, int *tag, MPI_Comm comm)
{
	if (match->source < 0 || match->source >= hyb_order_peers(comm))
		hyb_replay_diverged(function, "there were more ranks in this communicator", "a message is to come from rank %llu",
				    (uint64_t)(uint32_t)match->source);
	if (*source != MPI_ANY_SOURCE && *source != match->source)
		hyb_replay_diverged(function, "a message came from another rank", "one is to come from rank %llu",
				    (uint64_t)*source);
	*source = match->source;
	if (*tag == MPI_ANY_TAG)
		*tag = match->tag;
}

static void begin_replay(struct hyb_order_receive *receive, const char *function, int *source, int *tag, MPI_Comm *comm)
{
	struct hyb_replay *replay = hyb_replay_mine();
	const struct hyb_replay_match *match = replay ? hyb_replay_match(replay, receive->post.number) : NULL;

	/* Where more is to be told, it is one that was open still when the recording ended. */
	if (replay && !match && !hyb_replay_has_more(replay))
		hyb_replay_ends(replay, function);
	if (!match || match->source == HYB_REPLAY_GIVEN_UP)
		return;
	receive->held = match->source == HYB_REPLAY_OPEN && !hyb_posts_is_multiple() &&
			hyb_replay_matches_after(replay, receive->post.number);
	if (match->source == HYB_REPLAY_OPEN && !receive->held)
		return;
	if (receive->held || match->source == HYB_REPLAY_CANCELLED) {
		*comm = hyb_replay_nowhere();
		*source = 0;
		return;
	}
	force(function, match, source, tag, *comm);
	receive->post.forced = true;
}

void hyb_order_receive_begin(struct hyb_order_receive *receive, const char *function, int *source, int *tag,
			     MPI_Comm *comm)
{
	struct hyb_order *order = hyb_order_is_wild(*source, *tag) ? hyb_order_mine() : NULL;

	receive->wild = order && !order->inside;
	receive->held = false;
	receive->pending.area = NULL;
	if (!receive->wild)
		return;
	receive->post = (struct hyb_order_post){ .owner = order, .any_tag = *tag == MPI_ANY_TAG, .active = true };
	receive->source = *source;
	receive->tag = *tag;
	receive->comm = *comm;
	receive->post.number = hyb_order_replays() ? order->posts++ : hyb_order_opened(order);
	if (hyb_order_replays())
		begin_replay(receive, function, source, tag, comm);
}

MPI_Status *hyb_order_receive_status(struct hyb_order_receive *receive, MPI_Status *status, MPI_Status *own)
{
	return hyb_order_receive_awaits(&receive->pending, receive->post.owner, receive->post.number, status, own);
}

void hyb_order_received(struct hyb_order_receive *receive, int ret, const MPI_Status *status)
{
	const struct hyb_order_post *post = &receive->post;

	if (!receive->wild)
		return;
	if (hyb_order_replays())
		hyb_order_receive_begun(receive);
	else
		hyb_order_receive_told(&receive->pending, post->owner, post->number, post->any_tag, ret, status);
}

void hyb_order_receive_posted(const struct hyb_order_receive *receive, int ret, MPI_Request request)
{
	const struct hyb_order_post *post = &receive->post;

	if (!receive->wild)
		return;
	if (!hyb_order_replays()) {
		hyb_order_posted(post->owner, post->number, post->any_tag, ret, request);
		return;
	}
	if (ret == MPI_SUCCESS && !hyb_posts_put(request, post))
		hyb_order_lose(post->owner, -ENOMEM);
	hyb_order_receive_begun(receive);
}

void hyb_order_post_failed(struct hyb_order *order, uint64_t number, int ret)
{
	if (ret == MPI_SUCCESS)
		hyb_order_lose(order, -ENOMEM);
	else
		hyb_order_ended(order, number, HYB_ORDER_GIVEN_UP);
}

void hyb_order_receive_held(const struct hyb_order_receive *receive, int ret, MPI_Request request, void *buf, MPI_Count count,
			    MPI_Datatype type)
{
	struct hyb_order_post post = receive->post;

	if (ret != MPI_SUCCESS)
		return;
	post.stands_in = true;
	post.shadow = hyb_shadow_make(buf, count, type, receive->source, receive->tag, receive->comm);
	if (!post.shadow || !hyb_posts_put(request, &post))
		hyb_order_lose(post.owner, -ENOMEM);
	else
		hyb_held_add(post.shadow);
}

void hyb_order_receive_begun(const struct hyb_order_receive *receive)
{
	const struct hyb_replay *replay = hyb_replay_mine();

	if (!replay || !hyb_replay_matches_after(replay, receive->post.number))
		hyb_held_release();
}

void hyb_order_receive_made(MPI_Request request, void *buf, MPI_Count count, MPI_Datatype type, int source, int tag,
			    MPI_Comm comm)
{
	struct hyb_order_post post = { .any_tag = tag == MPI_ANY_TAG };

	if (!hyb_order_is_wild(source, tag) || hyb_order_mine()->inside)
		return;
	post.shadow = hyb_shadow_make(buf, count, type, source, tag, comm);
	if (!post.shadow || !hyb_posts_put(request, &post))
		hyb_order_lose(hyb_order_mine(), -ENOMEM);
}

/* A probe's source and tag as they were when it found something; false: it runs freely. */
static bool probe_replayed(struct hyb_replay *replay, const char *function, int *source, int *tag, MPI_Comm comm)
{
	struct hyb_replay_match match;

	if (!hyb_order_is_wild(*source, *tag))
		return hyb_replay_take_other(replay, function, HYB_ORDER_YES);
	if (!hyb_replay_take_other(replay, function, HYB_ORDER_FOUND))
		return false;
	match.source = (int32_t)hyb_replay_number(replay) - 1;
	match.tag = (int32_t)hyb_replay_number(replay) - 1;
	force(function, &match, source, tag, comm);
	return true;
}

static void probe_found(bool wild, const MPI_Status *status)
{
	struct hyb_order *order = hyb_order_mine();

	if (!wild) {
		hyb_order_outcome(order, HYB_ORDER_OTHER, HYB_ORDER_YES);
		return;
	}
	hyb_order_outcome(order, HYB_ORDER_OTHER, HYB_ORDER_FOUND);
	hyb_order_number(order, (uint64_t)status->MPI_SOURCE + 1);
	hyb_order_number(order, (uint64_t)status->MPI_TAG + 1);
}

static void record_found(bool wild, int ret, const MPI_Status *status)
{
	if (ret == MPI_SUCCESS)
		probe_found(wild, status);
	else
		hyb_order_outcome(hyb_order_mine(), HYB_ORDER_OTHER, HYB_ORDER_FAILED);
}

/* What a probe told: nothing as a rule, where it does not wait. */
static inline void record_probe(bool wild, int ret, bool found, const MPI_Status *status)
{
	if (hyb_likely(ret == MPI_SUCCESS && !found))
		hyb_order_no(hyb_order_mine());
	else
		record_found(wild, ret, status);
}

int hyb_order_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	const bool wild = hyb_order_is_wild(source, tag) && !hyb_order_mine()->inside;
	struct hyb_replay *replay = wild && hyb_order_replays() ? hyb_replay_mine() : NULL;
	MPI_Status own;
	int ret;

	if (wild && status == MPI_STATUS_IGNORE)
		status = &own;
	if (replay)
		probe_replayed(replay, "MPI_Probe", &source, &tag, comm);
	if (hyb_held_any())
		hyb_held_await_message(source, tag, comm);
	ret = HYB_ORDER_CALL(MPI_Probe, source, tag, comm, status);
	if (wild && !hyb_order_replays())
		record_found(wild, ret, status);
	return ret;
}

int hyb_order_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
	const bool wild = hyb_order_is_wild(source, tag) && !hyb_order_mine()->inside;
	struct hyb_replay *replay = wild && hyb_order_replays() ? hyb_replay_mine() : NULL;
	MPI_Status own;
	int ret;

	if (wild && status == MPI_STATUS_IGNORE)
		status = &own;
	if (replay)
		probe_replayed(replay, "MPI_Mprobe", &source, &tag, comm);
	if (hyb_held_any())
		hyb_held_await_message(source, tag, comm);
	ret = HYB_ORDER_CALL(MPI_Mprobe, source, tag, comm, message, status);
	if (wild && !hyb_order_replays())
		record_found(wild, ret, status);
	return ret;
}

static int replay_iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	struct hyb_replay *replay = hyb_replay_mine();

	if (replay && hyb_replay_is_no(replay, "MPI_Iprobe")) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	if (!replay || !probe_replayed(replay, "MPI_Iprobe", &source, &tag, comm))
		return HYB_ORDER_CALL(MPI_Iprobe, source, tag, comm, flag, status);
	*flag = 1;
	return HYB_ORDER_CALL(MPI_Probe, source, tag, comm, status);
}

/* Without a source that is a rank nothing is ever found, or at once. */
int hyb_order_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	const bool wild = hyb_order_is_wild(source, tag);
	const struct hyb_order *order = hyb_order_mine();
	MPI_Status own;
	int ret;

	if (source == MPI_PROC_NULL || order->inside)
		return HYB_ORDER_CALL(MPI_Iprobe, source, tag, comm, flag, status);
	if (hyb_unlikely(order->replays))
		return replay_iprobe(source, tag, comm, flag, status);
	if (wild && status == MPI_STATUS_IGNORE)
		status = &own;
	ret = HYB_ORDER_CALL(MPI_Iprobe, source, tag, comm, flag, status);
	record_probe(wild, ret, *flag, status);
	return ret;
}

int hyb_order_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
	const bool wild = hyb_order_is_wild(source, tag);
	struct hyb_replay *replay;
	MPI_Status own;
	int ret;

	if (source == MPI_PROC_NULL || hyb_order_mine()->inside)
		return HYB_ORDER_CALL(MPI_Improbe, source, tag, comm, flag, message, status);
	if (hyb_order_replays()) {
		replay = hyb_replay_mine();
		if (replay && hyb_replay_is_no(replay, "MPI_Improbe")) {
			*flag = 0;
			return MPI_SUCCESS;
		}
		if (!replay || !probe_replayed(replay, "MPI_Improbe", &source, &tag, comm))
			return HYB_ORDER_CALL(MPI_Improbe, source, tag, comm, flag, message, status);
		*flag = 1;
		return HYB_ORDER_CALL(MPI_Mprobe, source, tag, comm, message, status);
	}
	if (wild && status == MPI_STATUS_IGNORE)
		status = &own;
	ret = HYB_ORDER_CALL(MPI_Improbe, source, tag, comm, flag, message, status);
	record_probe(wild, ret, *flag, status);
	return ret;
}
