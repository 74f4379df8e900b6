/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Persistent receives that name any source or tag: each start is an open receive. In a replay another one is posted in
 * its place, for the message that it got.
 */
#include "pmpi/adapter/order/held.h"
#include "pmpi/adapter/order/order.h"
#include "pmpi/adapter/order/replay.h"
#include "pmpi/adapter/order/turns.h"

static int post_instead(struct hyb_order_shadow *shadow, int source, int tag, MPI_Comm comm)
{
	struct hyb_order *order;
	int ret;

	if (!hyb_turns_on)
		return hyb_shadow_post(shadow, source, tag, comm);
	order = hyb_turn_mine();
	hyb_turn_begin(order);
	ret = hyb_shadow_post(shadow, source, tag, comm);
	hyb_turn_end(order, true);
	return ret;
}

/* Numbers the start of such a receive; true: it is done. */
static bool start(MPI_Request request, const char *function, int *ret)
{
	struct hyb_order_receive receive;
	struct hyb_order_post post;
	struct hyb_order_shadow *shadow;
	int source, tag;
	MPI_Comm comm;

	if (request == MPI_REQUEST_NULL || !hyb_posts_find(request, &post) || !post.shadow)
		return false;
	shadow = post.shadow;
	source = shadow->source;
	tag = shadow->tag;
	comm = shadow->comm;
	hyb_order_receive_begin(&receive, function, &source, &tag, &comm);
	receive.post.shadow = shadow;
	hyb_posts_put(request, &receive.post);
	if (!hyb_order_replays())
		return false;
	if (receive.held)
		hyb_held_add(shadow);
	else
		*ret = post_instead(shadow, source, tag, comm);
	hyb_order_receive_begun(&receive);
	return true;
}

int hyb_order_Start(MPI_Request *request)
{
	const MPI_Request was = *request;
	struct hyb_order_post post;
	int ret = MPI_SUCCESS;

	if (!hyb_posts_any() || hyb_order_mine()->inside)
		return HYB_ORDER_CALL(MPI_Start, request);
	if (start(was, "MPI_Start", &ret))
		return ret;
	ret = HYB_ORDER_CALL(MPI_Start, request);
	/* Open MPI may give it another handle. */
	if (*request != was && hyb_posts_take(was, &post))
		hyb_posts_put(*request, &post);
	return ret;
}

int hyb_order_Startall(int count, MPI_Request *requests)
{
	int ret = MPI_SUCCESS;

	if (!hyb_posts_any() || hyb_order_mine()->inside)
		return HYB_ORDER_CALL(MPI_Startall, count, requests);
	for (int i = 0; i < count && ret == MPI_SUCCESS; i++)
		ret = hyb_order_Start(&requests[i]);
	return ret;
}
