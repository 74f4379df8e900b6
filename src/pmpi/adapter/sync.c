/* SPDX-License-Identifier: BSD-3-Clause */
/* Round trips between nodes; see sync.h. */
#include "pmpi/adapter/sync.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "core/config/config.h"
#include "core/sys/counter.h"
#include "core/record/definitions.h"

#define TAG 1
#define TRIPS_MAX 1000
#define PATIENCE 50	       /* trips without one that is quicker than those before: the quickest is found */
#define LONGEST INT64_C(50000000) /* ns for one pair, where trips are slow */

/* What goes to and fro. */
struct word {
	uint64_t counter; /* of the answer: when the question had arrived */
	uint32_t rank;	  /* who answers, in MPI_COMM_WORLD */
	uint32_t more;	  /* of the question: it is one, and not the last word */
};

/* One process of each node; MPI_COMM_NULL in all others. */
static MPI_Comm leaders = MPI_COMM_NULL;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static bool send(const struct word *w, int to)
{
	return PMPI_Send(w, sizeof(*w), MPI_BYTE, to, TAG, leaders) == MPI_SUCCESS;
}

static bool receive(struct word *w, int from)
{
	return PMPI_Recv(w, sizeof(*w), MPI_BYTE, from, TAG, leaders, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

/* One more trip. Whether it was quicker than all before, on either way. */
static bool better(const struct hyb_def_sync *trip, struct hyb_def_sync best[2], bool first)
{
	/* Clocks of two machines: only differences of differences say something. */
	bool out = first || (int64_t)(trip->there - trip->out) < (int64_t)(best[0].there - best[0].out);
	bool back = first || (int64_t)(trip->back - trip->there) < (int64_t)(best[1].back - best[1].there);

	if (out)
		best[0] = *trip;
	if (back)
		best[1] = *trip;
	return out || back;
}

/* Asks the other one until the answers become no quicker. */
static void ask(int other)
{
	struct hyb_def_sync best[2], trip = { .reserved = 0 };
	struct word question = { .more = 1 }, answer;
	int64_t end = now() + LONGEST;
	bool whole = true;
	int last = 0, i;

	for (i = 0; whole && i < TRIPS_MAX && i - last < PATIENCE && now() < end; i++) {
		trip.out = hyb_counter();
		whole = send(&question, other) && receive(&answer, other);
		hyb_counter_fence();
		trip.back = hyb_counter();
		trip.there = answer.counter;
		trip.rank = answer.rank;
		if (whole && better(&trip, best, !i))
			last = i;
	}
	question.more = 0;
	if (!whole || !send(&question, other))
		return;
	hyb_def_sync(&best[0]);
	if (best[1].out != best[0].out)
		hyb_def_sync(&best[1]);
}

static void answer(int other, int rank)
{
	struct word w;

	while (receive(&w, other) && w.more) {
		hyb_counter_fence();
		w.counter = hyb_counter();
		w.rank = (uint32_t)rank;
		if (!send(&w, other))
			return;
	}
}

static void measure(void)
{
	int rank, size, world;

	PMPI_Comm_rank(leaders, &rank);
	PMPI_Comm_size(leaders, &size);
	PMPI_Comm_rank(MPI_COMM_WORLD, &world);
	for (int64_t step = 1; step < size; step *= 2) {
		if (rank & step) {
			answer((int)(rank - step), world);
			return;
		}
		if (rank + step < size)
			ask((int)(rank + step));
	}
}

/* The processes that are the first of their node. */
static void find_leaders(void)
{
	MPI_Comm node;
	int rank;

	if (PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) != MPI_SUCCESS)
		return;
	PMPI_Comm_rank(node, &rank);
	PMPI_Comm_free(&node);
	if (PMPI_Comm_split(MPI_COMM_WORLD, rank ? MPI_UNDEFINED : 0, 0, &leaders) != MPI_SUCCESS)
		leaders = MPI_COMM_NULL;
}

static bool wanted(void)
{
	/* An order alone has no times. */
	return hyb_config.enable && hyb_config.sync && hyb_config.order != HYB_ORDER_WISH_ONLY;
}

void hyb_sync_start(void)
{
	MPI_Errhandler handler;

	if (!wanted())
		return;
	/*
	 * What goes wrong here is not the program's. Communicators inherit the handler. The one there is right after
	 * MPI_Init is MPI's own, and is not freed.
	 */
	PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
	PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	find_leaders();
	PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	if (leaders != MPI_COMM_NULL)
		measure();
}

void hyb_sync_end(void)
{
	if (leaders == MPI_COMM_NULL)
		return;
	measure();
	PMPI_Comm_free(&leaders);
}
