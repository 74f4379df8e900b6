/* SPDX-License-Identifier: BSD-3-Clause */
/* What ends a request before it is complete; see order.h. */
#include "pmpi/adapter/order/held.h"
#include "pmpi/adapter/order/order.h"
#include "pmpi/adapter/order/sends.h"

bool hyb_order_cancels;

int hyb_order_Cancel(MPI_Request *request)
{
	struct hyb_order_post post;

	__atomic_store_n(&hyb_order_cancels, true, __ATOMIC_RELAXED);
	if (!hyb_order_replays() || !hyb_posts_find(*request, &post))
		return HYB_ORDER_CALL(MPI_Cancel, request);
	/* It came too late then. */
	if (post.forced)
		return MPI_SUCCESS;
	if (hyb_post_is_held(&post))
		hyb_held_release();
	if (hyb_post_is_send(&post))
		post.shadow->cancelled = true;
	return HYB_ORDER_CALL(MPI_Cancel, post.shadow && post.active ? &post.shadow->posted : request);
}

int hyb_order_Request_free(MPI_Request *request)
{
	struct hyb_order_post post;

	if (*request != MPI_REQUEST_NULL && hyb_posts_take(*request, &post)) {
		if (hyb_post_is_send(&post)) {
			hyb_send_leave(post.shadow);
			*request = MPI_REQUEST_NULL;
			return MPI_SUCCESS;
		}
		if (post.active && !hyb_order_replays() && post.owner == hyb_order_mine())
			hyb_order_ended(post.owner, post.number, HYB_ORDER_GIVEN_UP);
		if (hyb_post_is_held(&post))
			hyb_held_release();
		if (post.active && post.shadow && hyb_order_replays())
			PMPI_Request_free(&post.shadow->posted);
		if (post.stands_in)
			PMPI_Cancel(request);
		if (post.shadow)
			hyb_shadow_free(post.shadow);
	}
	return HYB_ORDER_CALL(MPI_Request_free, request);
}

/* In a replay only. */
int hyb_order_Finalize(void)
{
	hyb_sends_end();
	return HYB_ORDER_CALL(MPI_Finalize);
}
