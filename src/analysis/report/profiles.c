/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See profiles.h. Thread by thread, while the call tree of all is made: a path of the tree is a spot, and what a thread
 * did there goes into the same sums as what a trace's events add up to.
 */
#include "analysis/report/profiles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/calltree.h"
#include "analysis/profile/stack.h"
#include "analysis/report/report.h"
#include "merge/model/ids.h"
#include "reader/streams/profile.h"

struct fill {
	struct hyb_report *r;
	int64_t *inclusive; /* by cell of the thread */
	struct hyb_spent *spent; /* by spot: of the thread */
};

static const struct hyb_profile_node *node_of(const struct hyb_call_thread *t, uint32_t cell)
{
	return hyb_profile_node(&t->profile->tree, cell);
}

/* What is right in each node and in all below it. */
static void add_up(struct fill *f, const struct hyb_call_thread *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t cell = t->nodes[i], parent = node_of(t, cell)->parent;

		f->inclusive[cell] += t->own[cell];
		f->inclusive[parent] += parent ? f->inclusive[cell] : 0;
	}
}

static int add_node(struct fill *f, const struct hyb_calltree *tree, const struct hyb_call_thread *t, uint32_t cell)
{
	const struct hyb_profile_node *n = node_of(t, cell);
	struct hyb_step_sums *sums = &f->r->steps.tracks[t->track];
	uint32_t number = t->path_of[cell];
	const struct hyb_spot *spot = hyb_spots_at(&tree->spots, number);
	const struct hyb_spot *in = hyb_spots_at(&tree->spots, spot->parent);
	const struct hyb_own own = { .track = t->track, .spot = number, .ns = t->own[cell], .count = n->visits };

	f->spent[number].ns += t->own[cell];
	f->spent[number].visits += spot->kind == HYB_SPOT_TOP ? 1 : n->visits;
	sums->in[spot->class] += t->own[cell];
	if (spot->kind == HYB_SPOT_REGION && spot->region->kind == HYB_REGION_INIT)
		sums->start.ns += f->inclusive[cell];
	if (spot->kind == HYB_SPOT_REGION && spot->region->kind == HYB_REGION_FINALIZE)
		sums->stop.ns += f->inclusive[cell];
	if (spot->kind == HYB_SPOT_REGION && !hyb_spot_is_kernel(spot)) {
		sums->visits += n->visits;
		sums->calls += spot->region->paradigm == HYB_PARADIGM_MPI && in->class != HYB_TIME_MPI ? n->visits : 0;
	}
	return hyb_causes_add_own(&f->r->causes, &own);
}

/* By the mean size of a member's part in them, as that of each is not known. */
static int add_collectives(struct fill *f, const struct hyb_calltree *tree, const struct hyb_call_thread *t,
			   uint32_t cell)
{
	const struct hyb_profile_node *n = node_of(t, cell);
	const struct hyb_call_path *p = &tree->paths[t->path_of[cell]];
	struct hyb_traffic_row row = {
		.kind = HYB_TRAFFIC_COLLECTIVE,
		.count = n->collectives,
		.bytes = n->sent + n->received,
		.timed = n->visits,
		.timed_bytes = n->sent + n->received,
		.ns = f->inclusive[cell],
		.most = p->max,
	};

	if (!n->collectives || p->kind != HYB_SPOT_REGION || !hyb_coll_has_data(p->region->coll))
		return 0;
	row.a = p->region->coll;
	row.b = hyb_traffic_class((n->sent > n->received ? n->sent : n->received) / n->collectives);
	return hyb_traffic_add(&f->r->traffic, &row);
}

/* The process that a rank in a record stands for; UINT32_MAX: it is not known, or was not recorded. */
static uint32_t peer_of(const struct fill *f, const struct hyb_call_thread *t, const struct hyb_profile_partner *x)
{
	const struct hyb_model *m = &f->r->merge.model;
	const struct hyb_ids_comm *comm = hyb_ids_comm(t->ids, x->comm);
	uint32_t place;

	if (!comm || x->peer < 0 || (!comm->self && (uint32_t)x->peer >= comm->peers->count))
		return UINT32_MAX;
	if (comm->self)
		return t->process;
	place = comm->peers->members[x->peer];
	return place < m->ranks ? m->rank_process[place] : UINT32_MAX;
}

static int add_messages(struct fill *f, const struct hyb_call_thread *t)
{
	const struct hyb_profile_partner *x;
	int err = 0;

	for (uint32_t at = t->profile->tree.header->state.partners.last; at && !err; at = x->before) {
		struct hyb_traffic_row row;

		x = hyb_profile_cell(&t->profile->tree, at);
		if (x->way != HYB_PROFILE_TO)
			continue;
		row = (struct hyb_traffic_row){ .kind = HYB_TRAFFIC_PAIR, .count = x->count, .bytes = x->sent };
		row.a = t->process;
		row.b = peer_of(f, t, x);
		if (row.b == UINT32_MAX) {
			row.kind = HYB_TRAFFIC_UNPAIRED;
			row.a = row.b = 0;
		}
		err = hyb_traffic_add(&f->r->traffic, &row);
	}
	return err;
}

static int take_thread(void *arg, const struct hyb_calltree *tree, const struct hyb_call_thread *t)
{
	struct fill *f = arg;
	struct hyb_step_sums *sums = &f->r->steps.tracks[t->track];
	int err = 0;

	f->inclusive = calloc(t->profile->tree.header->state.cells + 1, sizeof(*f->inclusive));
	f->spent = calloc(tree->count, sizeof(*f->spent));
	if (f->inclusive && f->spent)
		add_up(f, t);
	else
		err = -ENOMEM;
	/* Parents first: who reads the tables in order sees callers before what they call. */
	for (uint32_t i = t->count; i-- > 0 && !err;) {
		err = add_node(f, tree, t, t->nodes[i]);
		if (!err)
			err = add_collectives(f, tree, t, t->nodes[i]);
	}
	if (!err && t->count)
		err = hyb_flat_add_spent(&f->r->flat, t->process, &tree->spots, f->spent);
	if (!err)
		err = add_messages(f, t);
	sums->told = true;
	sums->first = t->begin;
	sums->last = !err && t->count ? hyb_ns_add(t->begin, f->inclusive[t->nodes[t->count - 1]]) : t->begin;
	free(f->inclusive);
	free(f->spent);
	return err;
}

int hyb_report_read_profiles(struct hyb_report *r)
{
	struct fill f = { .r = r };
	const struct hyb_calltree_selection all = { .rank = -1, .thread = -1, .tell = take_thread, .tell_arg = &f };
	struct hyb_calltree tree;
	struct hyb_table spots;
	int err = hyb_steps_init(&r->steps, r->merge.model.track_count, r->options.place);

	hyb_causes_init(&r->causes);
	if (err)
		return err;
	err = hyb_calltree_read(&tree, &r->merge.model, &all);
	r->kernel = tree.covered > 0;
	r->kernel_known = tree.lasted > 0 ? (double)tree.covered / (double)tree.lasted : 0;
	/* The report's spots are the tree's. */
	spots = r->steps.spots.table;
	r->steps.spots.table = tree.spots.table;
	tree.spots.table = spots;
	hyb_calltree_free(&tree);
	if (err == -ENOENT)
		hyb_diag_say(r->options.diag, HYB_SEV_ERROR, "%s: no thread has a profile that can be read",
			     r->options.dirs[0]);
	return err;
}
