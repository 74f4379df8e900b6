/* SPDX-License-Identifier: BSD-3-Clause */
/* See held.h. */
#include "pmpi/adapter/order/held.h"

#include <limits.h>
#include <time.h>

#include "core/config/config.h"
#include "core/sys/log.h"
#include "core/sys/sys.h"
#include "pmpi/adapter/order/order.h"
#include "pmpi/adapter/order/replay.h"

#define PATIENCE 20000000		/* ns: if nothing comes for so long, those that are held are looked at */
#define HASTE INT64_C(10000000000)	/* then they get messages that may be another one's, too */
#define PAUSE 100000			/* between two looks */

/* Messages come from ranks of the other side of an intercommunicator. */
int hyb_order_peers(MPI_Comm comm)
{
	int between = 0;
	int size = 0;

	PMPI_Comm_test_inter(comm, &between);
	if (between)
		PMPI_Comm_remote_size(comm, &size);
	else
		PMPI_Comm_size(comm, &size);
	return size;
}

/* In the order in which the program posted them. */
struct hyb_order_shadow *hyb_held;
static struct hyb_order_shadow **held_end = &hyb_held;

void hyb_held_add(struct hyb_order_shadow *shadow)
{
	shadow->next = NULL;
	*held_end = shadow;
	held_end = &shadow->next;
}

void hyb_held_release(void)
{
	while (hyb_held) {
		struct hyb_order_shadow *shadow = hyb_held;

		hyb_held = shadow->next;
		hyb_shadow_post(shadow, shadow->source, shadow->tag, shadow->comm);
	}
	held_end = &hyb_held;
}

/* Whether a later receive is to get the source's next message. If that one names a tag, the recording does not say which. */
static bool is_wanted(const struct hyb_order_shadow *shadow, int source, int tag)
{
	const struct hyb_order *order = hyb_order_mine();
	const struct hyb_replay *replay = hyb_replay_mine();
	const struct hyb_replay_match *next = replay ? hyb_replay_match_from(replay, order->posts, source) : NULL;

	return next && (shadow->tag != MPI_ANY_TAG || next->tag == tag);
}

/* Posts it for a message that has come and that no other one is to get; false: there is none. */
static bool serve(struct hyb_order_shadow *shadow, bool in_haste)
{
	const int first = shadow->source == MPI_ANY_SOURCE ? 0 : shadow->source;
	const int end = shadow->source == MPI_ANY_SOURCE ? hyb_order_peers(shadow->comm) : first + 1;
	MPI_Status status;

	for (int source = first; source < end; source++) {
		int there = 0;

		PMPI_Iprobe(source, shadow->tag, shadow->comm, &there, &status);
		if (there && (in_haste || !is_wanted(shadow, source, status.MPI_TAG)))
			return hyb_shadow_post(shadow, source, status.MPI_TAG, shadow->comm) == MPI_SUCCESS;
	}
	return false;
}

static void serve_all(bool in_haste)
{
	struct hyb_order_shadow **at = &hyb_held;

	if (in_haste)
		hyb_log_once(HYB_LOG_NOTE, "replay: nothing came for 10 s: receives that were open when the recording ended get what "
			     "comes, which may not be what they got then");
	while (*at) {
		struct hyb_order_shadow *shadow = *at;
		struct hyb_order_shadow *next = shadow->next;

		if (serve(shadow, in_haste))
			*at = next;
		else
			at = &shadow->next;
	}
	held_end = at;
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Nothing has come since then. */
static void look_after(int64_t since)
{
	const struct timespec pause = { .tv_nsec = PAUSE };
	const int64_t waited = now() - since;

	if (waited < PATIENCE)
		return;
	/* Who is waited for may stand in a debugger. */
	serve_all(waited > HASTE && !*hyb_config.replay_gdb);
	HYB_SYS(nanosleep, &pause, NULL, 0, 0, 0, 0);
}

void hyb_held_await(int count, const MPI_Request *requests)
{
	const int64_t since = now();

	for (int i = 0; i < count && hyb_held_any();) {
		int complete = 1;

		if (requests[i] != MPI_REQUEST_NULL)
			PMPI_Request_get_status(requests[i], &complete, MPI_STATUS_IGNORE);
		if (complete)
			i++;
		else
			look_after(since);
	}
}

void hyb_held_await_message(int source, int tag, MPI_Comm comm)
{
	const int64_t since = now();
	int there = source == MPI_PROC_NULL;

	while (!there && hyb_held_any()) {
		PMPI_Iprobe(source, tag, comm, &there, MPI_STATUS_IGNORE);
		if (!there)
			look_after(since);
	}
}

int hyb_shadow_post(struct hyb_order_shadow *shadow, int source, int tag, MPI_Comm comm)
{
#ifdef HYB_HAS_MPI_Irecv_c
	if (shadow->count > INT_MAX)
		return PMPI_Irecv_c(shadow->buf, shadow->count, shadow->type, source, tag, comm, &shadow->posted);
#endif
	return PMPI_Irecv(shadow->buf, (int)shadow->count, shadow->type, source, tag, comm, &shadow->posted);
}

struct hyb_order_shadow *hyb_shadow_make(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag,
					 MPI_Comm comm)
{
	struct hyb_order_shadow *shadow = hyb_shadow_new();
	int integers, addresses, types, combiner;

	if (!shadow)
		return NULL;
	*shadow = (struct hyb_order_shadow){
		.buf = buf, .count = count, .type = type, .source = source, .tag = tag, .comm = comm,
		.posted = MPI_REQUEST_NULL,
	};
	if (hyb_order_replays() && PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
	    combiner != MPI_COMBINER_NAMED)
		shadow->owns_type = PMPI_Type_dup(type, &shadow->type) == MPI_SUCCESS;
	return shadow;
}

void hyb_held_end(MPI_Request stand_in, struct hyb_order_shadow *shadow)
{
	if (stand_in != MPI_REQUEST_NULL) {
		PMPI_Cancel(&stand_in);
		PMPI_Request_free(&stand_in);
	}
	hyb_shadow_free(shadow);
}
