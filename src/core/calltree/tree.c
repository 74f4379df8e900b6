/* SPDX-License-Identifier: BSD-3-Clause */
/* The call tree: its nodes and frames, and with whom they communicate. */
#include "core/calltree/tree.h"

#include <string.h>

#define FIRST_TABLE 256u	/* lists of a table at first */
#define LATER_TABLE (UINT32_C(1) << 28)	/* and at most */
#define NODE_CELLS ((uint32_t)(sizeof(struct hyb_profile_node) / HYB_PROFILE_CELL))
#define CELL_WORDS (HYB_PROFILE_CELL / sizeof(uint64_t))

static uint32_t take(struct hyb_profile *p, uint64_t cells)
{
	struct hyb_profile_state *s = &p->header->state;
	uint32_t first = (uint32_t)s->cells;

	s->cells += cells;
	return first;
}

static uint64_t cells_of(uint64_t words)
{
	return (words + CELL_WORDS - 1) / CELL_WORDS;
}

uint32_t hyb_profile_words(struct hyb_profile *p, uint64_t words)
{
	return take(p, cells_of(words));
}

/* What the tables need when they grow is there as well. */
int hyb_profile_reserve(struct hyb_profile *p, uint32_t count, uint64_t words)
{
	const struct hyb_profile_state *s = &p->header->state;
	/* a node, a frame, both with metrics, and what follows is rounded up to cells */
	uint64_t each = NODE_CELLS + 1 + 2 * cells_of(s->metrics) + 2;
	uint64_t need = s->cells + count * each + cells_of(words);

	if (s->nodes.count + count > s->nodes.size)
		need += cells_of(s->nodes.size);
	if (s->partners.count + count > s->partners.size)
		need += cells_of(s->partners.size);
	if (need <= s->room)
		return 0;
	return p->grow(p, need + need / 2);
}

static void make_table(struct hyb_profile *p, struct hyb_profile_table *t, uint32_t size)
{
	t->cell = hyb_profile_words(p, size / 2);
	t->size = size;
}

void hyb_profile_begin(struct hyb_profile *p, uint64_t start)
{
	struct hyb_profile_header *h = p->header;
	struct hyb_profile_state *s = &h->state;
	struct hyb_profile_frame *frame;
	struct hyb_profile_node *root;

	h->header_size = HYB_PROFILE_HEADER_SIZE;
	h->cell_size = HYB_PROFILE_CELL;
	h->start_time = start;
	s->cells = 1;
	s->last = start;
	make_table(p, &s->nodes, FIRST_TABLE);
	make_table(p, &s->partners, FIRST_TABLE);
	s->sites = hyb_profile_words(p, HYB_PROFILE_SITES);
	s->root = take(p, NODE_CELLS);
	root = hyb_profile_node(p, s->root);
	root->region = HYB_PROFILE_ROOT;
	root->min = UINT64_MAX;
	s->nodes.last = s->root;
	s->frame = take(p, 1);
	frame = hyb_profile_frame(p, s->frame);
	frame->node = s->root;
	frame->enter = start;
}

static uint32_t mix(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15) ^ b * UINT64_C(0xc2b2ae3d27d4eb4f) ^ c * UINT64_C(0x165667b19e3779f9);

	return (uint32_t)((h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static uint32_t node_hash(const struct hyb_profile_node *n)
{
	return mix(n->parent, n->region, n->site);
}

static uint32_t partner_hash(const struct hyb_profile_partner *x)
{
	return mix(x->node, (uint64_t)x->comm << 32 | (uint32_t)x->peer, x->way);
}

static uint32_t *list_of(const struct hyb_profile *p, const struct hyb_profile_table *t, uint32_t hash)
{
	return (uint32_t *)hyb_profile_cell(p, t->cell) + (hash & (t->size - 1));
}

/* Twice as many lists, while there are more nodes than that; the old ones stay unused. */
static void widen_nodes(struct hyb_profile *p)
{
	struct hyb_profile_table *t = &p->header->state.nodes;

	make_table(p, t, 2 * t->size);
	for (uint32_t at = t->last; at;) {
		struct hyb_profile_node *n = hyb_profile_node(p, at);
		uint32_t *list = list_of(p, t, node_hash(n));

		/* The newest come first, and are first in their lists, too: see format/profile.h. */
		while (*list)
			list = &hyb_profile_node(p, *list)->next;
		n->next = 0;
		/* The root is found by its number alone. */
		if (n->parent)
			*list = at;
		at = n->before;
	}
}

static void widen_partners(struct hyb_profile *p)
{
	struct hyb_profile_table *t = &p->header->state.partners;

	make_table(p, t, 2 * t->size);
	for (uint32_t at = t->last; at;) {
		struct hyb_profile_partner *x = hyb_profile_cell(p, at);
		uint32_t *list = list_of(p, t, partner_hash(x));

		while (*list)
			list = &((struct hyb_profile_partner *)hyb_profile_cell(p, *list))->next;
		x->next = 0;
		*list = at;
		at = x->before;
	}
}

static struct hyb_profile_node *add_node(struct hyb_profile *p, const struct hyb_profile_node *key)
{
	struct hyb_profile_table *t = &p->header->state.nodes;
	uint32_t at, *list;
	struct hyb_profile_node *n;

	if (t->count >= t->size && t->size < LATER_TABLE)
		widen_nodes(p);
	list = list_of(p, t, node_hash(key));
	at = take(p, NODE_CELLS);
	n = hyb_profile_node(p, at);
	n->parent = key->parent;
	n->region = key->region;
	n->site = key->site;
	n->min = UINT64_MAX;
	n->next = *list;
	n->before = t->last;
	*list = at;
	t->last = at;
	t->count++;
	return n;
}

struct hyb_profile_node *hyb_profile_find(struct hyb_profile *p, uint32_t parent, uint64_t region, uint64_t site)
{
	const struct hyb_profile_node key = { .parent = parent, .region = region, .site = site };
	struct hyb_profile_node *above = hyb_profile_node(p, parent);
	struct hyb_profile_node *n;
	uint32_t at;

	for (at = *list_of(p, &p->header->state.nodes, node_hash(&key)); at; at = n->next) {
		n = hyb_profile_node(p, at);
		if (n->parent == parent && n->region == region && n->site == site)
			break;
	}
	if (!at) {
		n = add_node(p, &key);
		at = hyb_profile_number(p, n);
	}
	above->child = at;
	return n;
}

static struct hyb_profile_partner *add_partner(struct hyb_profile *p, const struct hyb_profile_partner *key)
{
	struct hyb_profile_table *t = &p->header->state.partners;
	struct hyb_profile_partner *x;
	uint32_t at, *list;

	if (t->count >= t->size && t->size < LATER_TABLE)
		widen_partners(p);
	list = list_of(p, t, partner_hash(key));
	at = take(p, 1);
	x = hyb_profile_cell(p, at);
	*x = *key;
	x->next = *list;
	x->before = t->last;
	*list = at;
	t->last = at;
	t->count++;
	return x;
}

static bool same_partner(const struct hyb_profile_partner *x, const struct hyb_profile_partner *y)
{
	return x->node == y->node && x->way == y->way && x->comm == y->comm && x->peer == y->peer;
}

struct hyb_profile_partner *hyb_profile_find_partner(struct hyb_profile *p, struct hyb_profile_node *node,
						     enum hyb_profile_way way, uint32_t comm, int32_t peer)
{
	const struct hyb_profile_partner key = { .node = hyb_profile_number(p, node), .way = way, .comm = comm, .peer = peer };
	struct hyb_profile_partner *x = NULL;
	uint32_t at;

	for (at = *list_of(p, &p->header->state.partners, partner_hash(&key)); at; at = x->next) {
		x = hyb_profile_cell(p, at);
		if (same_partner(x, &key))
			break;
	}
	if (!at)
		x = add_partner(p, &key);
	node->partner = hyb_profile_number(p, x);
	return x;
}

static uint64_t *metrics_at(const struct hyb_profile *p, uint32_t cell)
{
	return hyb_profile_cell(p, cell);
}

/* So that their vectors have a place for each metric. */
static void widen_vectors(struct hyb_profile *p, struct hyb_profile_frame *f, struct hyb_profile_node *n)
{
	const struct hyb_profile_state *s = &p->header->state;

	if (f->metric_room < s->metrics) {
		uint32_t grown = hyb_profile_words(p, s->metrics);

		if (f->metric_count)
			memcpy(metrics_at(p, grown), metrics_at(p, f->metrics), f->metric_count * sizeof(uint64_t));
		f->metrics = grown;
		f->metric_room = s->metrics;
	}
	if (n->metric_count < s->metrics) {
		uint32_t grown = hyb_profile_words(p, s->metrics);

		if (n->metric_count)
			memcpy(metrics_at(p, grown), metrics_at(p, n->metrics), n->metric_count * sizeof(uint64_t));
		n->metrics = grown;
		n->metric_count = s->metrics;
	}
}

/* What the metrics are now, to be compared with what they are at the end. */
static void note_metrics(struct hyb_profile *p, struct hyb_profile_frame *f)
{
	const struct hyb_profile_state *s = &p->header->state;
	const struct hyb_profile_set *set;

	widen_vectors(p, f, hyb_profile_node(p, f->node));
	f->metric_count = s->metrics;
	for (uint32_t at = s->sets; at; at = set->before) {
		set = hyb_profile_cell(p, at);
		memcpy(metrics_at(p, f->metrics) + set->first, metrics_at(p, set->values),
		       set->count * sizeof(uint64_t));
	}
}

void hyb_profile_adopt(struct hyb_profile *p, const struct hyb_profile_set *set)
{
	const struct hyb_profile_state *s = &p->header->state;
	struct hyb_profile_frame *f = hyb_profile_frame(p, s->frame);

	while (f->outer)
		f = hyb_profile_frame(p, f->outer);
	widen_vectors(p, f, hyb_profile_node(p, f->node));
	memcpy(metrics_at(p, f->metrics) + set->first, metrics_at(p, set->values), set->count * sizeof(uint64_t));
	f->metric_count = s->metrics;
}

/* Metrics that came to be known inside of the region are not known for all of it. */
static void add_metrics(struct hyb_profile *p, const struct hyb_profile_frame *f, struct hyb_profile_node *n)
{
	const struct hyb_profile_state *s = &p->header->state;
	const struct hyb_profile_set *set;
	const uint64_t *then = metrics_at(p, f->metrics);
	uint64_t *sums = metrics_at(p, n->metrics);

	for (uint32_t at = s->sets; at; at = set->before) {
		const uint64_t *now;

		set = hyb_profile_cell(p, at);
		now = metrics_at(p, set->values);
		for (uint32_t i = 0; i < set->count && set->first + i < f->metric_count; i++)
			sums[set->first + i] += now[i] - then[set->first + i];
	}
}

struct hyb_profile_frame *hyb_profile_push(struct hyb_profile *p, uint32_t node, uint64_t now)
{
	struct hyb_profile_state *s = &p->header->state;
	struct hyb_profile_frame *outer = hyb_profile_frame(p, s->frame), *f;

	if (!outer->inner) {
		outer->inner = take(p, 1);
		hyb_profile_frame(p, outer->inner)->outer = s->frame;
	}
	s->frame = outer->inner;
	f = hyb_profile_frame(p, s->frame);
	f->node = node;
	f->enter = now;
	f->metric_count = 0;
	if (s->metrics)
		note_metrics(p, f);
	return f;
}

void hyb_profile_pop(struct hyb_profile *p, uint64_t now)
{
	struct hyb_profile_state *s = &p->header->state;
	const struct hyb_profile_frame *f = hyb_profile_frame(p, s->frame);
	struct hyb_profile_node *n = hyb_profile_node(p, f->node);

	hyb_profile_add(p, n, 1, now - f->enter);
	if (f->metric_count)
		add_metrics(p, f, n);
	s->frame = f->outer ? f->outer : s->frame;
}
