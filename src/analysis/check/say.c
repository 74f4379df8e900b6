/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of a thread, in words. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/check/check.h"
#include "reader/streams/printable.h"

#define RANGES_SHOWN 8u

const char *hyb_say_operation(uint32_t op)
{
	static const char *const names[] = {
		[HYB_COLL_NONE] = "an operation",
		[HYB_COLL_BARRIER] = "MPI_Barrier",
		[HYB_COLL_BCAST] = "MPI_Bcast",
		[HYB_COLL_GATHER] = "MPI_Gather",
		[HYB_COLL_GATHERV] = "MPI_Gatherv",
		[HYB_COLL_SCATTER] = "MPI_Scatter",
		[HYB_COLL_SCATTERV] = "MPI_Scatterv",
		[HYB_COLL_ALLGATHER] = "MPI_Allgather",
		[HYB_COLL_ALLGATHERV] = "MPI_Allgatherv",
		[HYB_COLL_ALLTOALL] = "MPI_Alltoall",
		[HYB_COLL_ALLTOALLV] = "MPI_Alltoallv",
		[HYB_COLL_ALLTOALLW] = "MPI_Alltoallw",
		[HYB_COLL_ALLREDUCE] = "MPI_Allreduce",
		[HYB_COLL_REDUCE] = "MPI_Reduce",
		[HYB_COLL_REDUCE_SCATTER] = "MPI_Reduce_scatter",
		[HYB_COLL_REDUCE_SCATTER_BLOCK] = "MPI_Reduce_scatter_block",
		[HYB_COLL_SCAN] = "MPI_Scan",
		[HYB_COLL_EXSCAN] = "MPI_Exscan",
		[HYB_COLL_NEIGHBOR_ALLGATHER] = "MPI_Neighbor_allgather",
		[HYB_COLL_NEIGHBOR_ALLGATHERV] = "MPI_Neighbor_allgatherv",
		[HYB_COLL_NEIGHBOR_ALLTOALL] = "MPI_Neighbor_alltoall",
		[HYB_COLL_NEIGHBOR_ALLTOALLV] = "MPI_Neighbor_alltoallv",
		[HYB_COLL_NEIGHBOR_ALLTOALLW] = "MPI_Neighbor_alltoallw",
	};

	return names[op < sizeof(names) / sizeof(names[0]) ? op : HYB_COLL_NONE];
}

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void put_rank(const struct hyb_check *c, FILE *to, uint32_t place)
{
	if (place < c->model.ranks)
		fprintf(to, "%" PRIu32, place);
	else
		fputc('?', to);
}

void hyb_say_ranks(const struct hyb_check *c, FILE *to, const uint32_t *places, size_t count)
{
	uint32_t *sorted = malloc((count + 1) * sizeof(*sorted));
	size_t i, end, n = 0, shown = 0;

	if (!sorted)
		return;
	memcpy(sorted, places, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_number);
	for (i = 0; i < count; i++)
		if (!n || sorted[i] != sorted[n - 1])
			sorted[n++] = sorted[i];
	fputs(n == 1 ? "rank " : "ranks ", to);
	for (i = 0; i < n; i = end) {
		for (end = i + 1; end < n && sorted[end] == sorted[end - 1] + 1; end++)
			;
		if (shown++ == RANGES_SHOWN && !c->options.all) {
			fprintf(to, " ... %zu more", n - i);
			break;
		}
		fputs(i ? "," : "", to);
		put_rank(c, to, sorted[i]);
		if (end > i + 1) {
			fputc(end == i + 2 ? ',' : '-', to);
			put_rank(c, to, sorted[end - 1]);
		}
	}
	free(sorted);
}

const char *hyb_say_comm(const struct hyb_check *c, uint32_t comm, char *buf, size_t size)
{
	const struct hyb_gcomm *g = hyb_comms_at(&c->model.comms, comm);
	char shown[64];

	if (g->name) {
		hyb_printable(buf, size, g->name);
	} else if (g->kind == HYB_COMM_WORLD) {
		snprintf(buf, size, "MPI_COMM_WORLD");
	} else if (g->kind == HYB_COMM_SELF) {
		snprintf(buf, size, "MPI_COMM_SELF");
	} else {
		snprintf(shown, sizeof(shown),
			 g->kind == HYB_COMM_INTER ? "%u and %u ranks" : "%u ranks", g->size,
			 g->remote_size);
		snprintf(buf, size, "communicator %u (%s)", g->id, shown);
	}
	return buf;
}

static bool is_of_comm(const struct hyb_need *n)
{
	return n->kind >= HYB_NEED_SEND && n->kind <= HYB_NEED_CREATE;
}

static const char *in_none(const struct hyb_check *c, const struct hyb_check_thread *t)
{
	return c->processes[t->process].groups == HYB_GROUP_ALL ? "in no MPI call" : "in no MPI call that is recorded";
}

void hyb_say_call(const struct hyb_check *c, FILE *to, const struct hyb_check_thread *t)
{
	const struct hyb_need *n = t->needs;
	char buf[128];

	if (t->polls)
		fputs("asking again and again with ", to);
	if (!t->in && t->left)
		hyb_show(to, "%s, after %s", in_none(c, t), t->left->name);
	else if (!t->in)
		fputs(t->worker ? "a thread of OpenMP that has nothing to do" : in_none(c, t), to);
	else
		hyb_show(to, "%s%s%s", t->mpi || t->polls ? "" : in_none(c, t), t->mpi || t->polls ? "" : ", in ",
			 t->in->name);
	if (t->need_count && is_of_comm(n))
		fprintf(to, " on %s", hyb_say_comm(c, n->comm, buf, sizeof(buf)));
	if (t->where)
		hyb_show(to, " at %s", t->where);
	if (t->path)
		hyb_show(to, ", called by %s", t->path);
}

static void put_tag(FILE *to, int32_t tag)
{
	if (tag == HYB_ANY)
		fputs(", any tag", to);
	else
		fprintf(to, ", tag %" PRId32, tag);
}

/* Those who have to go on for it. */
static void put_lacking(const struct hyb_check *c, FILE *to, const struct hyb_need *n)
{
	const struct hyb_graph_set *set = &c->graph.sets[n->set];

	if (n->one && set->count > 1)
		fputs("one of ", to);
	hyb_say_ranks(c, to, c->graph.members + set->first, set->count);
}

/* Of the only one that lacks, that it does something else than MPI. */
static void put_busy(const struct hyb_check *c, FILE *to, const struct hyb_need *n)
{
	const struct hyb_graph_set *set = &c->graph.sets[n->set];
	const struct hyb_model_process *p = hyb_check_process_of(c, c->graph.members[set->first]);
	const struct hyb_check_thread *t;

	if (set->count != 1 || !p || p->thread_count != 1 || hyb_check_is_over(c, p))
		return;
	t = &c->threads[c->processes[p - c->model.processes].first];
	if (!t->mpi && !t->polls && t->read)
		fprintf(to, ", which is %s since %.3f s", in_none(c, t),
			(double)hyb_ns_sub(t->since, c->first) * 1e-9);
}

static void put_message(const struct hyb_check *c, FILE *to, const struct hyb_need *n)
{
	fputs("a message from ", to);
	if (n->peer == HYB_CHECK_ANY)
		fputs("anybody", to);
	else
		hyb_say_ranks(c, to, &n->peer, 1);
	put_tag(to, n->tag);
	if (n->set == HYB_GRAPH_NONE)
		fputs(", which may be on its way", to);
	else
		put_busy(c, to, n);
}

static void put_send(const struct hyb_check *c, FILE *to, const struct hyb_need *n)
{
	hyb_say_ranks(c, to, &n->peer, 1);
	fputs(" to receive a message", to);
	put_tag(to, n->tag);
	if (n->bytes != HYB_BYTES_UNKNOWN)
		fprintf(to, ", %" PRIu64 " bytes", n->bytes);
	if (n->set == HYB_GRAPH_NONE)
		fputs(", which may be on its way", to);
	else
		put_busy(c, to, n);
}

static void put_need(const struct hyb_check *c, FILE *to, const struct hyb_need *n)
{
	const bool lacks = n->set != HYB_GRAPH_NONE;

	switch (n->kind) {
	case HYB_NEED_RECV:
		put_message(c, to, n);
		return;
	case HYB_NEED_SEND:
		put_send(c, to, n);
		return;
	case HYB_NEED_UNKNOWN:
		fputs("something that is not known", to);
		return;
	default:
		break;
	}
	if (!lacks) {
		fputs("what nobody is known to lack for", to);
		return;
	}
	put_lacking(c, to, n);
	if (n->kind == HYB_NEED_LOCK)
		fputs(" to unlock the window", to);
	else if (n->kind == HYB_NEED_POST)
		fputs(" to call MPI_Win_post", to);
	else if (n->kind == HYB_NEED_COMPLETE)
		fputs(" to call MPI_Win_complete", to);
	else if (n->kind == HYB_NEED_FINALIZE)
		fputs(" to call MPI_Finalize", to);
	put_busy(c, to, n);
}

/* What is there already need not be told where something else is not. */
void hyb_say_needs(const struct hyb_check *c, FILE *to, const struct hyb_check_thread *t)
{
	size_t i, lacking = 0, shown = 0;

	for (i = 0; i < t->need_count; i++)
		lacking += t->needs[i].set != HYB_GRAPH_NONE;
	if (!t->need_count || (!lacking && t->needs[0].kind == HYB_NEED_UNKNOWN))
		return;
	if (!lacking && t->needs[0].kind >= HYB_NEED_COLL) {
		fputs(", for which nobody is known to lack", to);
		return;
	}
	fputs(t->polls ? ", for " : ", waiting for ", to);
	for (i = 0; i < t->need_count; i++) {
		if (lacking && t->needs[i].set == HYB_GRAPH_NONE && !t->any)
			continue;
		if (shown++ == RANGES_SHOWN && !c->options.all) {
			fprintf(to, " ... %zu more", t->need_count - i);
			break;
		}
		if (shown > 1)
			fputs(t->any ? " or " : " and ", to);
		put_need(c, to, &t->needs[i]);
	}
}
