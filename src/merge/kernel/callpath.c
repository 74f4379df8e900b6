/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions and call chains joined; see callpath.h. */
#include "merge/kernel/callpath.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct joining {
	struct hyb_callpath *path;
	const struct hyb_gregion *const *open;
	size_t depth;
	size_t next; /* region that has no place yet */
};

static void put_frame(struct joining *j, const struct hyb_frame *frame)
{
	j->path->nodes[j->path->count++] = (struct hyb_path_node){ .frame = frame };
}

static bool is_mpi(const struct hyb_gregion *region)
{
	return region->paradigm == HYB_PARADIGM_MPI;
}

static bool is_kernels(const struct hyb_gregion *region)
{
	return region->kernel != 0;
}

static void put_region(struct joining *j)
{
	j->path->nodes[j->path->count++] = (struct hyb_path_node){ .region = j->open[j->next++] };
}

/* Those up to the next one of the MPI or of the kernel. */
static void put_others(struct joining *j)
{
	while (j->next < j->depth && !is_mpi(j->open[j->next]) && !is_kernels(j->open[j->next]))
		put_region(j);
}

/* Those that have no place of their own. */
static void put_program(struct joining *j)
{
	while (j->next < j->depth && !is_kernels(j->open[j->next]))
		put_region(j);
}

static bool has_crossing(const struct hyb_chains *c, const struct hyb_chain *chain)
{
	for (uint32_t i = 0; i < chain->count; i++)
		if (hyb_chains_frame(c, chain, i)->kind == HYB_FRAME_HYBMON)
			return true;
	return false;
}

static void put_chain(struct joining *j, const struct hyb_chains *c, const struct hyb_chain *chain)
{
	bool crossing = false;
	uint32_t i = chain->count;

	if (has_crossing(c, chain))
		put_others(j);
	else
		put_program(j);
	while (i-- > 0) {
		const struct hyb_frame *frame = hyb_chains_frame(c, chain, i);

		if (frame->kind == HYB_FRAME_KERNEL)
			break;
		/* Ours may call each other. */
		if (frame->kind == HYB_FRAME_HYBMON && crossing)
			continue;
		crossing = frame->kind == HYB_FRAME_HYBMON && j->next < j->depth && is_mpi(j->open[j->next]);
		if (!crossing) {
			put_frame(j, frame);
			continue;
		}
		put_region(j);
		put_others(j);
	}
	put_program(j);
	while (j->next < j->depth)
		put_region(j);
	for (i++; i-- > 0;)
		put_frame(j, hyb_chains_frame(c, chain, i));
}

int hyb_callpath_join(struct hyb_callpath *path, const struct hyb_gregion *const *open, size_t depth,
		      const struct hyb_chains *chains, uint32_t chain)
{
	const struct hyb_chain none = { 0, 0 }, *c = chain == UINT32_MAX ? &none : hyb_chains_at(chains, chain);
	struct joining j = { .path = path, .open = open, .depth = depth };

	if (path->room < depth + c->count) {
		struct hyb_path_node *more = realloc(path->nodes, (depth + c->count) * 2 * sizeof(*more));

		if (!more)
			return -ENOMEM;
		path->nodes = more;
		path->room = (depth + c->count) * 2;
	}
	path->count = 0;
	put_chain(&j, chains, c);
	return 0;
}

void hyb_callpath_free(struct hyb_callpath *path)
{
	free(path->nodes);
	path->nodes = NULL;
	path->count = path->room = 0;
}
