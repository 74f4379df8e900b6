/* SPDX-License-Identifier: BSD-3-Clause */
/* What to call what is defined, and what a handle or an address stands for; see defs.h. */
#include <stdio.h>
#include <string.h>

#include "reader/streams/defs.h"

const char *hyb_comm_name(const struct hyb_comm *comm, uint64_t id, char *buf, size_t size)
{
	if (comm && comm->name && comm->name[0])
		return comm->name;
	if (comm && comm->defined && comm->def.kind == HYB_COMM_WORLD)
		return "MPI_COMM_WORLD";
	if (comm && comm->defined && comm->def.kind == HYB_COMM_SELF)
		return "MPI_COMM_SELF";
	if (comm && comm->defined)
		snprintf(buf, size, "comm#%u", comm->number);
	else
		snprintf(buf, size, "comm?%llu", (unsigned long long)id);
	return buf;
}

const char *hyb_win_name(const struct hyb_win *win, uint64_t id, char *buf, size_t size)
{
	if (win && win->name && win->name[0])
		return win->name;
	if (win && win->defined)
		snprintf(buf, size, "win#%u", win->number);
	else
		snprintf(buf, size, "win?%llu", (unsigned long long)id);
	return buf;
}

/* Whether object a, which is defined later, is more likely than b to be what an address lay in. */
static bool is_nearer(const struct hyb_object *a, const struct hyb_object *b, uint64_t time)
{
	if (a->begin != b->begin && (a->end == UINT64_MAX || b->end == UINT64_MAX))
		return a->begin > b->begin;
	return a->since <= time;
}

const struct hyb_object *hyb_defs_object_of(const struct hyb_defs *d, uint64_t address, uint64_t time)
{
	const struct hyb_object *found = NULL;

	for (size_t i = 0; i < d->object_count; i++) {
		const struct hyb_object *o = &d->objects[i];

		if (o->begin <= address && address < o->end && (!found || is_nearer(o, found, time)))
			found = o;
	}
	return found;
}

static bool is_same_library(const struct hyb_object *a, const struct hyb_object *b)
{
	return a->base == b->base && a->end == b->end && a->build_length == b->build_length &&
	       !memcmp(a->build, b->build, a->build_length) && !strcmp(a->path, b->path);
}

uint64_t hyb_defs_library_of(const struct hyb_defs *d, uint64_t address, uint64_t time)
{
	const struct hyb_object *found = hyb_defs_object_of(d, address, time);
	const struct hyb_object *o = d->objects;

	if (!found || found->end == UINT64_MAX)
		return 0;
	while (o < found && (address < o->begin || address >= o->end))
		o++;
	if (is_same_library(o, found))
		return 0;
	for (o = d->objects; !is_same_library(o, found); o++)
		;
	return o->id;
}

const struct hyb_comm *hyb_defs_comm_of(const struct hyb_defs *d, uint64_t handle)
{
	for (size_t i = d->comm_count; handle && i--;) {
		if (d->comms[i].defined && d->comms[i].def.handle == handle)
			return &d->comms[i];
	}
	return NULL;
}
