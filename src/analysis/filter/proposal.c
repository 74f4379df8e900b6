/* SPDX-License-Identifier: BSD-3-Clause */
/* From a call tree to what rules are for, and the decision about each. */
#include "analysis/filter/proposal.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/calltree.h"
#include "reader/containers/array.h"
#include "reader/containers/table.h"

struct hyb_reading {
	struct hyb_model model;
	struct hyb_calltree tree;
};

struct making {
	struct hyb_proposal *p;
	struct hyb_table table; /* of places among the costs, by kind and name */
	uint32_t *cost_of;	/* by path; UINT32_MAX: of none */
};

struct key {
	const struct hyb_proposal *p;
	enum hyb_rule_kind kind;
	const char *name;
};

static bool same_cost(const void *entry, const void *key)
{
	const struct key *k = key;
	const struct hyb_region_cost *c = &k->p->costs[*(const uint32_t *)entry];

	return c->kind == k->kind && !strcmp(c->name, k->name);
}

static enum hyb_rule_kind kind_of(const struct hyb_gregion *r)
{
	switch (r->paradigm) {
	case HYB_PARADIGM_MPI:
		return HYB_RULE_MPI;
	case HYB_PARADIGM_OPENMP:
		return HYB_RULE_OPENMP;
	case HYB_PARADIGM_USER:
		if (!r->symbol)
			return *r->name ? HYB_RULE_REGION : HYB_RULE_NONE;
		return *r->symbol ? HYB_RULE_FUNCTION : HYB_RULE_NONE;
	default:
		return HYB_RULE_NONE;
	}
}

/* What src/ompt/region.c records whatever a rule says. */
static bool is_followed(const struct hyb_gregion *r)
{
	switch (r->role) {
	case HYB_ROLE_PARALLEL:
	case HYB_ROLE_TASK:
	case HYB_ROLE_ALLOCATE:
	case HYB_ROLE_TRANSFER:
	case HYB_ROLE_FREE:
		return true;
	default:
		return r->kind == HYB_REGION_TARGET;
	}
}

/* Its place among the costs, made if need be; UINT32_MAX without memory. */
static uint32_t cost_for(struct making *m, const struct hyb_gregion *r)
{
	struct hyb_proposal *p = m->p;
	const enum hyb_rule_kind kind = kind_of(r);
	const char *name = kind == HYB_RULE_FUNCTION ? r->symbol : kind == HYB_RULE_OPENMP ? r->plain : r->name;
	const struct key key = { p, kind, name };
	const uint64_t hash = hyb_hash_bytes(name, strlen(name)) + kind;
	uint32_t *found = hyb_table_find(&m->table, hash, &key);
	struct hyb_region_cost *grown;

	if (found)
		return *found;
	grown = hyb_array_room(p->costs, &p->room, p->count, sizeof(*grown));
	if (!grown)
		return UINT32_MAX;
	p->costs = grown;
	found = hyb_table_add(&m->table, hash);
	if (!found)
		return UINT32_MAX;
	grown[p->count] = (struct hyb_region_cost){
		.kind = kind, .name = name, .shown = kind == HYB_RULE_OPENMP ? name : r->name,
		.followed = kind == HYB_RULE_OPENMP && is_followed(r),
	};
	*found = (uint32_t)p->count;
	return (uint32_t)p->count++;
}

/* Whether a path lies in another one of the same rule, whose time has its own. */
static bool is_inside(const struct making *m, uint32_t path)
{
	const struct hyb_calltree *t = &m->p->reading->tree;
	const uint32_t cost = m->cost_of[path];

	for (uint32_t at = t->paths[path].parent; at; at = t->paths[at].parent)
		if (m->cost_of[at] == cost)
			return true;
	return false;
}

static int add_path(struct making *m, uint32_t i)
{
	const struct hyb_call_path *path = &m->p->reading->tree.paths[i];
	struct hyb_proposal *p = m->p;
	struct hyb_region_cost *c;

	p->before.bytes += path->bytes;
	m->cost_of[i] = UINT32_MAX;
	if (path->kind != HYB_SPOT_REGION)
		return 0;
	m->cost_of[i] = cost_for(m, path->region);
	if (m->cost_of[i] == UINT32_MAX)
		return -ENOMEM;
	c = &p->costs[m->cost_of[i]];
	c->visits += path->visits;
	c->bytes += path->bytes;
	c->own += path->exclusive;
	c->all += path->inclusive;
	c->time += is_inside(m, i) ? 0 : path->inclusive;
	c->messages += path->sends + path->receives;
	c->collectives += path->collectives;
	p->before.visits += path->visits;
	return 0;
}

static int add_paths(struct hyb_proposal *p)
{
	struct making m = { .p = p };
	int err = 0;

	m.cost_of = calloc(p->reading->tree.count, sizeof(*m.cost_of));
	if (!m.cost_of)
		return -ENOMEM;
	hyb_table_init(&m.table, sizeof(uint32_t), same_cost);
	for (uint32_t i = 0; i < p->reading->tree.count && !err; i++)
		err = add_path(&m, i);
	hyb_table_free(&m.table);
	free(m.cost_of);
	return err;
}

/* The most bytes first; what is alike by name, so that the same recording gives the same file. */
static int by_bytes(const void *a, const void *b)
{
	const struct hyb_region_cost *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : strcmp(x->name, y->name);
}

static bool is_wished(const struct hyb_proposal_options *o, const struct hyb_region_cost *c)
{
	for (size_t i = 0; i < o->keep_count; i++)
		if (!fnmatch(o->keep[i], c->name, 0) || !fnmatch(o->keep[i], c->shown, 0))
			return true;
	return false;
}

/* Why it has to stay, whatever its size; HYB_VERDICT_OUT: it has not. */
static enum hyb_verdict must_stay(const struct hyb_proposal_options *o, const struct hyb_region_cost *c)
{
	const enum hyb_mpi_use use = c->kind == HYB_RULE_MPI && o->mpi ? o->mpi(c->name) : HYB_MPI_PLAIN;

	if (c->kind == HYB_RULE_NONE)
		return HYB_VERDICT_NAMELESS;
	if (is_wished(o, c))
		return HYB_VERDICT_WISHED;
	if (use == HYB_MPI_FOLLOWED || c->followed)
		return HYB_VERDICT_FOLLOWED;
	if (!o->messages && (use == HYB_MPI_COMMUNICATES || c->messages || c->collectives))
		return HYB_VERDICT_MESSAGES;
	return HYB_VERDICT_OUT;
}

static enum hyb_verdict judge(const struct hyb_proposal_options *o, const struct hyb_region_cost *c)
{
	const enum hyb_verdict stays = must_stay(o, c);

	if (stays != HYB_VERDICT_OUT)
		return stays;
	if (c->visits < o->visits)
		return HYB_VERDICT_FEW;
	return (double)c->all >= (double)o->shortest * (double)c->visits ? HYB_VERDICT_LONG : HYB_VERDICT_OUT;
}

static void leave_out(struct hyb_proposal *p, struct hyb_region_cost *c)
{
	c->verdict = HYB_VERDICT_OUT;
	p->after.bytes -= c->bytes;
	p->after.visits -= c->visits;
}

bool hyb_proposal_meets(const struct hyb_proposal *p)
{
	return !p->options->target || p->after.bytes <= p->options->target;
}

/*
 * For the target: the one that takes the most space for the time that it tells of, of those that get it nearer by a
 * hundredth. NULL: there is none left.
 */
static struct hyb_region_cost *next_best(const struct hyb_proposal *p)
{
	const uint64_t least = (p->after.bytes - p->options->target) / 100;
	struct hyb_region_cost *best = NULL;

	for (size_t i = 0; i < p->count; i++) {
		struct hyb_region_cost *c = &p->costs[i];

		if ((c->verdict != HYB_VERDICT_FEW && c->verdict != HYB_VERDICT_LONG) || c->bytes <= least)
			continue;
		if (!best || (double)c->bytes * (double)(best->all + 1) > (double)best->bytes * (double)(c->all + 1))
			best = c;
	}
	return best;
}

static void decide(struct hyb_proposal *p)
{
	struct hyb_region_cost *c;

	p->after = p->before;
	for (size_t i = 0; i < p->count; i++) {
		c = &p->costs[i];
		c->verdict = judge(p->options, c);
		if (c->verdict == HYB_VERDICT_OUT)
			leave_out(p, c);
	}
	while (!hyb_proposal_meets(p) && (c = next_best(p)))
		leave_out(p, c);
	p->before.overhead = (double)p->before.visits * p->options->price;
	p->after.overhead = (double)p->after.visits * p->options->price;
}

static int read_all(struct hyb_proposal *p)
{
	const struct hyb_model_options of_model = {
		.dirs = &p->dir, .dir_count = 1, .diag = p->options->diag, .stop = p->options->stop,
	};
	const struct hyb_calltree_selection selection = { .rank = -1, .thread = -1 };
	int err = hyb_model_init(&p->reading->model, &of_model);

	if (!err)
		err = hyb_model_survey(&p->reading->model);
	if (err)
		return err;
	err = hyb_calltree_read(&p->reading->tree, &p->reading->model, &selection);
	return err == -ENOENT ? -ENODATA : err;
}

int hyb_proposal_make(struct hyb_proposal *p, const char *dir, const struct hyb_proposal_options *options)
{
	const struct hyb_calltree *tree;
	int err;

	*p = (struct hyb_proposal){ .dir = dir, .options = options };
	p->reading = calloc(1, sizeof(*p->reading));
	err = p->reading ? read_all(p) : -ENOMEM;
	if (!err)
		err = add_paths(p);
	if (err)
		return err;
	tree = &p->reading->tree;
	p->processes = tree->processes;
	p->threads = tree->threads;
	p->lost = tree->lost;
	p->gaps = tree->gaps;
	p->time = tree->paths[0].inclusive;
	if (p->count)
		qsort(p->costs, p->count, sizeof(*p->costs), by_bytes);
	decide(p);
	return 0;
}

void hyb_proposal_free(struct hyb_proposal *p)
{
	free(p->costs);
	if (!p->reading)
		return;
	hyb_calltree_free(&p->reading->tree);
	hyb_model_free(&p->reading->model);
	free(p->reading);
}
