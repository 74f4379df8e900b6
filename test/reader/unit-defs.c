/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of definitions: what they hold, what they leave out, and that they grow while written.
 */
#include <errno.h>
#include <string.h>

#include "../lib/synth.h"
#include "../lib/tap.h"
#include "reader/streams/defs.h"

static void region(struct synth *s, uint64_t id, const char *name, uint32_t claimed)
{
	struct hyb_def_region def = {
		.role = HYB_ROLE_P2P,
		.paradigm = HYB_PARADIGM_MPI,
		.coll = HYB_COLL_NONE,
		.name_length = claimed,
	};

	synth_def(s, HYB_DEF_REGION, id, &def, sizeof(def), name, strlen(name));
}

static void members(struct synth *s, uint64_t id, uint32_t remote, uint32_t first, uint32_t count,
		    const uint32_t *ranks, size_t size)
{
	struct hyb_def_members def = { .first = first, .count = count, .remote = remote };

	synth_def(s, HYB_DEF_MEMBERS, id, &def, sizeof(def), ranks, size);
}

static void comm(struct synth *s, uint64_t id, uint32_t kind, uint32_t size)
{
	struct hyb_def_comm def = { .key = { id, 7 }, .kind = kind, .size = size };

	synth_def(s, HYB_DEF_COMM, id, &def, sizeof(def), NULL, 0);
}

static void comm_name(struct synth *s, uint64_t id, const char *name)
{
	uint64_t length = strlen(name);

	synth_def(s, HYB_DEF_COMM_NAME, id, &length, sizeof(length), name, length);
}

static const char *name_of(const struct hyb_defs *d, uint64_t id)
{
	static char buf[32];

	return hyb_comm_name(hyb_defs_comm(d, id), id, buf, sizeof(buf));
}

static void test_tables(void)
{
	const char *path = synth_path("defs.hyb");
	const uint32_t ranks[4] = { 4, 5, 6, 7 };
	struct hyb_def_clock clock = { .counter = 5 };
	const struct hyb_comm *c;
	struct hyb_defs *d;
	struct synth s;

	synth_open(&s, path, HYB_STREAM_DEFS, HYB_CHUNK_MIN, 0);
	region(&s, 3, "MPI_Send", 8);
	synth_def(&s, HYB_DEF_CLOCK, 0, &clock, sizeof(clock), NULL, 0);
	clock.counter = 2;
	synth_def(&s, HYB_DEF_CLOCK, 0, &clock, sizeof(clock), NULL, 0);
	comm(&s, 0, HYB_COMM_WORLD, 8);
	comm(&s, 1, HYB_COMM_SELF, 1);
	members(&s, 9, 0, 0, 3, ranks, 12);
	members(&s, 9, 0, 3, 1, ranks + 3, 4);
	members(&s, 9, 1, 0, 2, ranks, 8);
	comm(&s, 9, HYB_COMM_INTER, 4);
	comm(&s, 10, HYB_COMM_INTRA, 4);
	comm_name(&s, 10, "first");
	comm_name(&s, 10, "second");
	tap(!hyb_defs_open(path, HYB_OWNER_ANY, NULL, &d) && d->region_count == 1 && d->comm_count == 4 &&
		    d->clock_count == 2 && !d->corrupt && !d->unknown && !d->lost,
	    "all definitions are there");
	tap(!strcmp(hyb_defs_region(d, 3)->name, "MPI_Send") &&
		    hyb_defs_region(d, 3)->role == HYB_ROLE_P2P && !hyb_defs_region(d, 4),
	    "regions by id");
	tap(d->clocks[0].counter == 2, "clock tuples in order of time");
	c = hyb_defs_comm(d, 9);
	tap(c && c->defined && c->member_count == 4 && !memcmp(c->members, ranks, 16) &&
		    c->remote_count == 2 && c->def.key[0] == 9,
	    "members, in pieces, before their communicator");
	tap(!strcmp(name_of(d, 0), "MPI_COMM_WORLD") && !strcmp(name_of(d, 1), "MPI_COMM_SELF") &&
		    !strcmp(name_of(d, 9), "comm#2") && !strcmp(name_of(d, 10), "second") &&
		    !strcmp(name_of(d, 77), "comm?77"),
	    "what communicators are called");
	for (uint64_t id = 1000; id < 6000; id++)
		region(&s, id * id, "other", 5);
	comm_name(&s, 10, "third");
	tap(hyb_defs_update(d) == 5001 && d->region_count == 5001 &&
		    hyb_defs_region(d, 5999 * 5999) && !strcmp(name_of(d, 10), "third"),
	    "what was defined since comes with an update");
	hyb_defs_release(d);
	region(&s, 4, "late", 4);
	tap(!hyb_defs_update(d) && !hyb_defs_region(d, 4) && hyb_defs_region(d, 3),
	    "after the release the tables stay as they are");
	hyb_defs_close(d);
	synth_close(&s, true);
}

static void test_nonsense(void)
{
	const char *path = synth_path("defs.hyb");
	const uint32_t ranks[4] = { 4, 5, 6, 7 };
	const uint64_t wild = UINT64_MAX - 3;
	struct synth_said said;
	struct hyb_defs *d;
	struct synth s;

	synth_listen(&said);
	synth_open(&s, path, HYB_STREAM_DEFS, HYB_CHUNK_MIN, 0);
	region(&s, 3, "MPI_Send", 4000000000u);
	synth_def(&s, HYB_DEF_REGION, 4, NULL, 0, NULL, 0);
	synth_def(&s, HYB_DEF_CLOCK, 0, ranks, 8, NULL, 0);
	synth_def(&s, HYB_DEF_COMM, 1, ranks, 16, NULL, 0);
	synth_def(&s, HYB_DEF_COMM_NAME, 1, &wild, 8, "abc", 3);
	members(&s, 1, 0, 0, 4000000000u, ranks, 16);
	members(&s, 1, 0, 4000000000u, 4, ranks, 16);
	members(&s, 1, 2, 0, 4, ranks, 16);
	region(&s, 5, "twice", 5);
	region(&s, 5, "twice", 5);
	synth_def(&s, 0xff, 5, ranks, 16, NULL, 0);
	region(&s, 6, "good", 4);
	synth_close(&s, true);
	tap(!hyb_defs_open(path, HYB_OWNER_ANY, &said.diag, &d) && d->corrupt == 9 && d->unknown == 1 &&
		    d->region_count == 2 && !strcmp(hyb_defs_region(d, 6)->name, "good"),
	    "definitions that make no sense are left out and counted");
	hyb_defs_close(d);
	synth_open(&s, path, HYB_STREAM_THREAD, HYB_CHUNK_MIN, 0);
	synth_close(&s, true);
	tap(hyb_defs_open(path, HYB_OWNER_ANY, &said.diag, &d) == -EINVAL && said.count[HYB_SEV_ERROR] == 1,
	    "a stream of events is refused");
}

static void shape(struct synth *s, uint64_t id, const struct hyb_def_topology *whole, uint32_t first, uint32_t count)
{
	struct hyb_def_topology def = *whole;
	uint32_t list[32];

	def.first = first;
	def.count = count;
	for (uint32_t i = 0; i < 32; i++)
		list[i] = 100 + first + i;
	synth_def(s, HYB_DEF_TOPOLOGY, id, &def, sizeof(def), list, 4 * (count < 32 ? count : 32));
}

static const struct hyb_topology *shape_of(const struct hyb_defs *d, uint64_t id)
{
	return &hyb_defs_comm(d, id)->topology;
}

static void test_shapes(void)
{
	const char *path = synth_path("defs.hyb");
	const struct hyb_def_topology cart = { .kind = HYB_TOPOLOGY_CART, .in = 3 };
	const struct hyb_def_topology graph = { .kind = HYB_TOPOLOGY_GRAPH, .out = 0, .nodes = 5 };
	const struct hyb_def_topology dist = { .kind = HYB_TOPOLOGY_DIST_GRAPH, .in = 2, .out = 8, .weighted = 1 };
	const struct hyb_def_topology huge = { .kind = HYB_TOPOLOGY_CART, .in = UINT32_MAX };
	const struct hyb_def_topology other = { .kind = 77 };
	struct synth_said said;
	struct hyb_defs *d;
	struct synth s;

	synth_listen(&said);
	synth_open(&s, path, HYB_STREAM_DEFS, HYB_CHUNK_MIN, 0);
	shape(&s, 1, &cart, 0, 9);
	comm(&s, 1, HYB_COMM_INTRA, 8);
	shape(&s, 2, &graph, 0, 0);
	shape(&s, 3, &dist, 0, 12);
	shape(&s, 3, &dist, 12, 8);
	shape(&s, 4, &dist, 0, 12);
	shape(&s, 4, &dist, 13, 7); /* a hole */
	shape(&s, 5, &cart, 0, 10); /* more than it has */
	shape(&s, 5, &huge, 0, 4000000000u);
	shape(&s, 6, &other, 0, 4);
	shape(&s, 1, &dist, 9, 11); /* of another kind than it was */
	synth_close(&s, true);
	tap(!hyb_defs_open(path, HYB_OWNER_ANY, &said.diag, &d) && d->corrupt == 4, "shapes that make no sense are left out");
	tap(hyb_topology_whole(shape_of(d, 1)) && shape_of(d, 1)->list[8] == 108 &&
		    shape_of(d, 1)->def.kind == HYB_TOPOLOGY_CART && hyb_topology_whole(shape_of(d, 2)),
	    "shapes in one piece");
	tap(hyb_topology_whole(shape_of(d, 3)) && shape_of(d, 3)->list[19] == 119 &&
		    !hyb_topology_whole(shape_of(d, 4)) && !hyb_topology_whole(shape_of(d, 5)) &&
		    !hyb_topology_whole(shape_of(d, 6)),
	    "shapes in pieces are whole when all are there");
	hyb_defs_close(d);
}

int main(void)
{
	test_tables();
	test_shapes();
	test_nonsense();
	synth_cleanup();
	return tap_done();
}
