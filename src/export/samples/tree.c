/* SPDX-License-Identifier: BSD-3-Clause */
/* The call tree of samples; see tree.h. */
#include "export/samples/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge/kernel/callpath.h"

static bool same_node(const void *entry, const void *key)
{
	const struct hyb_samples_node *a = entry, *b = key;

	return a->parent == b->parent && a->region == b->region && !strcmp(a->name, b->name) &&
	       (a->path == b->path || (a->path && b->path && !strcmp(a->path, b->path)));
}

void hyb_samples_tree_init(struct hyb_samples_tree *t)
{
	hyb_table_init(&t->nodes, sizeof(struct hyb_samples_node), same_node);
	t->weight = 0;
}

void hyb_samples_tree_free(struct hyb_samples_tree *t)
{
	hyb_table_free(&t->nodes);
}

/* The number plus 1; 0 without memory. */
static uint32_t child(struct hyb_samples_tree *t, uint32_t parent, const struct hyb_path_node *at,
		      const struct hyb_chains *c)
{
	struct hyb_samples_node key = { .parent = parent, .region = at->region != NULL }, *node;
	uint64_t hash;

	key.name = at->region ? at->region->name : hyb_chains_text(c, at->frame->function);
	if (at->frame && at->frame->path != HYB_NAME_NONE)
		key.path = hyb_chains_text(c, at->frame->path);
	hash = hyb_mix(hyb_hash_bytes(key.name, strlen(key.name)) ^ parent);
	node = hyb_table_find(&t->nodes, hash, &key);
	if (!node) {
		node = hyb_table_add(&t->nodes, hash);
		if (!node)
			return 0;
		*node = key;
	}
	return (uint32_t)(node - (struct hyb_samples_node *)hyb_table_at(&t->nodes, 0)) + 1;
}

static int add_path(struct hyb_samples_tree *t, const struct hyb_callpath *path, const struct hyb_chains *c,
		    uint64_t weight)
{
	uint32_t node = 0;

	for (size_t i = 0; i < path->count; i++) {
		node = child(t, node, &path->nodes[i], c);
		if (!node)
			return -ENOMEM;
		((struct hyb_samples_node *)hyb_table_at(&t->nodes, node - 1))->all_weight += weight;
	}
	if (node)
		((struct hyb_samples_node *)hyb_table_at(&t->nodes, node - 1))->weight += weight;
	t->weight += weight;
	return 0;
}

/* The regions that are open, the outermost first. NULL without memory. */
static const struct hyb_gregion **open_regions(const struct hyb_samples_tally *tally, uint32_t stack, size_t *depth)
{
	const struct hyb_gregion **open;
	uint32_t at;
	size_t n = 0;

	for (at = stack; at; at = hyb_samples_tally_stack(tally, at)->outer)
		n++;
	open = malloc((n + 1) * sizeof(*open));
	*depth = n;
	for (at = stack; open && at; at = hyb_samples_tally_stack(tally, at)->outer)
		open[--n] = hyb_samples_tally_stack(tally, at)->region;
	return open;
}

int hyb_samples_tree_add(struct hyb_samples_tree *t, const struct hyb_samples_tally *tally, const char *metric)
{
	struct hyb_callpath path = { .count = 0 };
	int ret = 0;

	for (uint32_t i = 0; !ret && i < tally->rows.count; i++) {
		const struct hyb_samples_tally_row *row = hyb_table_at(&tally->rows, i);
		const struct hyb_gregion **open;
		size_t depth;

		if (strcmp(row->node->metrics[row->metric].name, metric))
			continue;
		open = open_regions(tally, row->stack, &depth);
		ret = open ? hyb_callpath_join(&path, open, depth, &row->node->chains, row->chain) : -ENOMEM;
		free(open);
		if (!ret)
			ret = add_path(t, &path, &row->node->chains, row->weight);
	}
	hyb_callpath_free(&path);
	return ret;
}

/* Those of one parent stand together, the heaviest first; of equal ones by name. */
static int by_parent(const void *a, const void *b)
{
	const struct hyb_samples_node *x = *(const struct hyb_samples_node *const *)a;
	const struct hyb_samples_node *y = *(const struct hyb_samples_node *const *)b;
	int order;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->all_weight != y->all_weight)
		return x->all_weight > y->all_weight ? -1 : 1;
	order = strcmp(x->name, y->name);
	return order ? order : strcmp(x->path ? x->path : "", y->path ? y->path : "");
}

struct walk {
	const struct hyb_samples_tree *tree;
	const struct hyb_samples_node **sorted;
	uint32_t *first; /* by parent: where its children begin in sorted */
	uint32_t *stack; /* of places in sorted */
	uint64_t least;
};

/* Depth first, without recursion: chains may be long. */
static void walk(struct walk *w, void (*visit)(void *arg, const struct hyb_samples_node *node, unsigned int depth),
		 void *arg)
{
	const struct hyb_samples_node *nodes = hyb_table_at(&w->tree->nodes, 0);
	const uint32_t count = w->tree->nodes.count;
	uint32_t parents = 0; /* parent of those at work, which stack[depth] says */
	unsigned int depth = 0;

	w->stack[0] = w->first[0];
	for (;;) {
		const uint32_t at = w->stack[depth];

		if (at < count && w->sorted[at]->parent == parents) {
			w->stack[depth]++;
			if (w->sorted[at]->all_weight < w->least)
				continue;
			visit(arg, w->sorted[at], depth);
			parents = (uint32_t)(w->sorted[at] - nodes) + 1;
			w->stack[++depth] = w->first[parents];
		} else if (depth--) {
			parents = nodes[parents - 1].parent;
		} else {
			return;
		}
	}
}

int hyb_samples_tree_each(const struct hyb_samples_tree *t, uint64_t least,
			  void (*visit)(void *arg, const struct hyb_samples_node *node, unsigned int depth), void *arg)
{
	const uint32_t count = t->nodes.count;
	struct walk w = {
		.tree = t,
		.sorted = malloc((count + (size_t)1) * sizeof(*w.sorted)),
		.first = malloc((count + (size_t)2) * sizeof(*w.first)),
		.stack = malloc((count + (size_t)2) * sizeof(*w.stack)),
		.least = least,
	};
	const bool memory = w.sorted && w.first && w.stack;

	for (uint32_t i = 0; memory && i < count; i++)
		w.sorted[i] = hyb_table_at(&t->nodes, i);
	if (memory && count)
		qsort(w.sorted, count, sizeof(*w.sorted), by_parent);
	for (uint32_t i = 0; memory && i <= count; i++)
		w.first[i] = count;
	for (uint32_t i = count; memory && i-- > 0;)
		w.first[w.sorted[i]->parent] = i;
	if (memory && count)
		walk(&w, visit, arg);
	free(w.sorted);
	free(w.first);
	free(w.stack);
	return memory ? 0 : -ENOMEM;
}
