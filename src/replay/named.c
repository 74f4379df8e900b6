/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call that posts a receive names; see replay.h. */
#include "pmpi/table/functions.h"
#include "replay/replay.h"

/* Places of the values: as src/pmpi/table/gen-calls.awk takes them from MPI's arguments. */
enum hyb_replay_posts hyb_replay_call_posts(const struct hyb_replay_call *call, int64_t *source, int64_t *tag)
{
	enum hyb_replay_posts posts = HYB_REPLAY_POSTS_NOW;
	unsigned int place;

	switch (call->function) {
	case HYB_F_MPI_Recv_init:
	case HYB_F_MPI_Recv_init_c:
		posts = HYB_REPLAY_POSTS_LATER;
		place = 2;
		break;
	case HYB_F_MPI_Recv:
	case HYB_F_MPI_Recv_c:
	case HYB_F_MPI_Irecv:
	case HYB_F_MPI_Irecv_c:
		place = 2;
		break;
	case HYB_F_MPI_Sendrecv:
	case HYB_F_MPI_Sendrecv_c:
		place = 6;
		break;
	case HYB_F_MPI_Sendrecv_replace:
	case HYB_F_MPI_Sendrecv_replace_c:
		place = 4;
		break;
	default:
		return HYB_REPLAY_POSTS_NONE;
	}
	*source = call->values[place];
	*tag = call->values[place + 1];
	return posts;
}
