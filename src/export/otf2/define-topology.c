/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shapes of communicators. Cartesian ones have definitions of their own in OTF2. It has nothing for graphs, nor
 * properties of communicators: what a process knows of a graph is a property of its location group.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/otf2/define.h"

#define MAX_DIMS HYB_SHAPE_DIMS

/* The communicator whose Cartesian shape this one has, itself or what it is a copy of; NULL: it has none. */
static const struct hyb_gcomm *shape_of(const struct hyb_comms *c, const struct hyb_gcomm *g)
{
	while (!g->dims && g->same_members && g->kind == HYB_COMM_INTRA && g->parent != HYB_COMM_NONE)
		g = hyb_comms_at(c, g->parent);
	return g->dims ? g : NULL;
}

/* MPI numbers the processes row by row: the last coordinate changes first. */
static void define_coordinates(struct hyb_define *d, uint32_t topology, const struct hyb_gcomm *g)
{
	uint32_t at[MAX_DIMS] = { 0 }, rank, i;

	for (rank = 0; rank < g->size; rank++) {
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteCartCoordinate(
					    d->writer, topology, rank, (uint8_t)g->dims, at));
		for (i = g->dims; i-- > 0 && ++at[i] == g->extents[i];)
			at[i] = 0;
	}
}

static void define_cart(struct hyb_define *d, uint32_t topology, uint32_t first, const struct hyb_gcomm *comm,
			const struct hyb_gcomm *g)
{
	uint32_t dims[MAX_DIMS], text, i;
	char dimension[32];

	for (i = 0; i < g->dims; i++) {
		snprintf(dimension, sizeof(dimension), "dimension %u", i);
		text = hyb_define_name(d, dimension);
		dims[i] = first + i;
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteCartDimension(
					    d->writer, dims[i], text, g->extents[i],
					    g->extents[g->dims + i] ? OTF2_CART_PERIODIC_TRUE
								    : OTF2_CART_PERIODIC_FALSE));
	}
	text = hyb_define_name(d, comm->name ? comm->name : "");
	hyb_define_check(d, OTF2_GlobalDefWriter_WriteCartTopology(d->writer, topology, text, comm->id,
								   (uint8_t)g->dims, dims));
	define_coordinates(d, topology, g);
}

static void put_list(FILE *to, const char *key, const uint32_t *list, uint32_t count)
{
	uint32_t i;

	fprintf(to, " %s=%s", key, count ? "" : "-");
	for (i = 0; i < count; i++)
		fprintf(to, "%s%d", i ? "," : "", (int)list[i]);
}

static void put_graph(FILE *to, const struct hyb_topology *t)
{
	const uint32_t in = t->def.in, out = t->def.out;

	if (t->def.kind == HYB_TOPOLOGY_GRAPH) {
		fprintf(to, "graph nodes=%u edges=%u", t->def.nodes, t->def.edges);
		put_list(to, "neighbours", t->list, out);
		return;
	}
	fputs("dist-graph", to);
	put_list(to, "from", t->list, in);
	put_list(to, "to", t->list + in, out);
	if (t->def.weighted) {
		put_list(to, "weights-from", t->list + in + out, in);
		put_list(to, "weights-to", t->list + 2 * in + out, out);
	}
}

static void define_graph(struct hyb_define *d, uint32_t group, const struct hyb_gcomm *g,
			 const struct hyb_topology *t)
{
	OTF2_AttributeValue value;
	char key[64], *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	uint32_t property;
	bool bad;

	if (!to) {
		d->no_memory = true;
		return;
	}
	put_graph(to, t);
	bad = ferror(to);
	if (fclose(to) || bad) {
		d->no_memory = true;
	} else {
		snprintf(key, sizeof(key), "hybmon::topology of communicator %u", g->id);
		property = hyb_define_name(d, key);
		value.stringRef = hyb_define_name(d, text);
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteLocationGroupProperty(
					    d->writer, group, property, OTF2_TYPE_STRING, value));
	}
	free(text);
}

/* The shape of a communicator or, where it has none of its own, of what it is a copy of. */
static const struct hyb_topology *known_shape(const struct hyb_defs *defs, const struct hyb_comm *comm)
{
	const struct hyb_comm *from = comm;

	/* Ids grow: what it was made from has a smaller one. */
	while (!from->topology.def.kind && from->def.same_members && from->def.kind == HYB_COMM_INTRA &&
	       from->def.parent < from->id) {
		from = hyb_defs_comm(defs, from->def.parent);
		if (!from || !from->defined)
			return &comm->topology;
	}
	return &from->topology;
}

/* The graphs one process knows of. Its definitions are read again: nothing of a process is kept that may be large. */
static void define_graphs(struct hyb_define *d, const struct hyb_model_process *p)
{
	const struct hyb_merge *m = d->m;
	const struct hyb_topology *t;
	struct hyb_defs *defs;
	uint32_t index;
	size_t i;

	if (!p->graphs || hyb_defs_open(p->source->defs, p->source->owner, NULL, &defs))
		return;
	hyb_links_apply(&m->model.links, p->job, defs);
	for (i = 0; i < defs->comm_count; i++) {
		t = known_shape(defs, &defs->comms[i]);
		if (!defs->comms[i].defined || !hyb_topology_whole(t) || t->def.kind == HYB_TOPOLOGY_CART)
			continue;
		index = hyb_comms_find(&m->model.comms, &defs->comms[i].def);
		if (index != HYB_COMM_NONE && hyb_comms_at(&m->model.comms, index)->state == HYB_GCOMM_KNOWN)
			define_graph(d, p->group, hyb_comms_at(&m->model.comms, index), t);
	}
	hyb_defs_close(defs);
}

void hyb_define_topologies(struct hyb_define *d)
{
	const struct hyb_merge *m = d->m;
	uint32_t topology = 0, dimensions = 0, i;
	const struct hyb_gcomm *g, *shape;
	size_t k;

	for (i = 0; i < m->model.comms.table.count; i++) {
		g = hyb_comms_at(&m->model.comms, i);
		shape = shape_of(&m->model.comms, g);
		if (g->state != HYB_GCOMM_KNOWN || !shape)
			continue;
		define_cart(d, topology++, dimensions, g, shape);
		dimensions += shape->dims;
	}
	for (k = 0; k < m->model.process_count; k++)
		if (m->model.processes[k].ranked)
			define_graphs(d, &m->model.processes[k]);
}
