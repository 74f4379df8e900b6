/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call that posts a receive names; see replay.h. */
#include "pmpi/table/functions.h"
#include "analysis/replay/replay.h"

/* Places of the values: as src/pmpi/table/gen-calls.awk takes them from MPI's arguments. */
enum hyb_replay_posts hyb_replay_call_posts(const struct hyb_replay_call *call, int64_t *source, int64_t *tag,
					    const char **function)
{
	enum hyb_replay_posts posts = HYB_REPLAY_POSTS_NOW;
	unsigned int place;

	switch (call->function) {
#define RECEIVES(name, at) \
	case HYB_F_MPI_##name: \
	case HYB_F_MPI_##name##_c: \
		*function = call->function == HYB_F_MPI_##name ? "MPI_" #name : "MPI_" #name "_c"; \
		place = at; \
		break;
	RECEIVES(Recv, 2)
	RECEIVES(Irecv, 2)
	RECEIVES(Sendrecv, 6)
	RECEIVES(Sendrecv_replace, 4)
	RECEIVES(Recv_init, 2)
#undef RECEIVES
	default:
		return HYB_REPLAY_POSTS_NONE;
	}
	if (call->function == HYB_F_MPI_Recv_init || call->function == HYB_F_MPI_Recv_init_c)
		posts = HYB_REPLAY_POSTS_LATER;
	*source = call->values[place];
	*tag = call->values[place + 1];
	return posts;
}
