/* SPDX-License-Identifier: BSD-3-Clause */
/* The definitions of one process as tables; see defs.h. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "reader/streams/defs.h"
#include "reader/containers/array.h"
#include "reader/containers/idmap.h"
#include "reader/streams/stream.h"
#include "reader/streams/text.h"

static int add_clock(struct hyb_defs *d, const struct hyb_event *e)
{
	struct hyb_def_clock *clocks;

	if (e->count < 1 + sizeof(*d->clocks) / 8)
		return -EBADMSG;
	clocks = hyb_array_room(d->clocks, &d->clock_room, d->clock_count, sizeof(*clocks));
	if (!clocks)
		return -ENOMEM;
	d->clocks = clocks;
	memcpy(&d->clocks[d->clock_count++], e->words + 1, sizeof(*d->clocks));
	return 0;
}

static int add_sync(struct hyb_defs *d, const struct hyb_event *e)
{
	struct hyb_def_sync *syncs;

	if (e->count < 1 + sizeof(*syncs) / 8)
		return -EBADMSG;
	syncs = hyb_array_room(d->syncs, &d->sync_room, d->sync_count, sizeof(*syncs));
	if (!syncs)
		return -ENOMEM;
	d->syncs = syncs;
	memcpy(&d->syncs[d->sync_count++], e->words + 1, sizeof(*syncs));
	return 0;
}

static int add_usage(struct hyb_defs *d, const struct hyb_event *e)
{
	struct hyb_def_usage *usages;

	if (e->count < 1 + sizeof(*usages) / 8)
		return -EBADMSG;
	usages = hyb_array_room(d->usages, &d->usage_room, d->usage_count, sizeof(*usages));
	if (!usages)
		return -ENOMEM;
	d->usages = usages;
	memcpy(&d->usages[d->usage_count++], e->words + 1, sizeof(*usages));
	return 0;
}

static int add_region(struct hyb_defs *d, const struct hyb_event *e)
{
	struct hyb_def_region def;
	struct hyb_region *region;
	char *name;
	int err;

	if (e->count < 1 + sizeof(def) / 8)
		return -EBADMSG;
	memcpy(&def, e->words + 1, sizeof(def));
	err = hyb_event_text(e, 1 + sizeof(def) / 8, def.name_length, &name);
	if (err)
		return err;
	if (hyb_id_map_get(d->region_map, e->id) != HYB_ID_NONE) {
		free(name);
		return -EBADMSG;
	}
	region = hyb_array_room(d->regions, &d->region_room, d->region_count, sizeof(*region));
	if (region)
		d->regions = region;
	if (!region || hyb_id_map_add(d->region_map, e->id, d->region_count)) {
		free(name);
		return -ENOMEM;
	}
	region = &d->regions[d->region_count++];
	region->id = e->id;
	region->role = def.role;
	region->paradigm = def.paradigm;
	region->coll = def.coll;
	region->name = name;
	region->address = 0;
	region->object = 0;
	region->file = NULL;
	region->line = 0;
	return 0;
}

/* Where a region is, which was defined before. */
static int add_place(struct hyb_defs *d, const struct hyb_event *e)
{
	size_t place = hyb_id_map_get(d->region_map, e->id);
	struct hyb_def_place def;

	if (e->count < 1 + sizeof(def) / 8 || place == HYB_ID_NONE)
		return -EBADMSG;
	memcpy(&def, e->words + 1, sizeof(def));
	d->regions[place].address = def.address;
	d->regions[place].object = def.object;
	return 0;
}

static int add_object(struct hyb_defs *d, const struct hyb_event *e)
{
	const uint32_t path_at = 1 + sizeof(struct hyb_def_object) / 8;
	struct hyb_object object = { .id = e->id }, *objects;
	struct hyb_def_extent extent = { .end = UINT64_MAX };
	struct hyb_def_object def;
	uint64_t build_at;
	char *path;
	int err;

	if (e->count < path_at)
		return -EBADMSG;
	memcpy(&def, e->words + 1, sizeof(def));
	build_at = path_at + ((uint64_t)def.path_length + 7) / 8;
	if (build_at > e->count || def.build_length > (e->count - build_at) * 8)
		return -EBADMSG;
	err = hyb_event_text(e, path_at, def.path_length, &path);
	if (err)
		return err;
	object.base = extent.begin = def.base;
	object.path = path;
	object.build_length = def.build_length;
	object.build = malloc(def.build_length + 1);
	objects = hyb_array_room(d->objects, &d->object_room, d->object_count, sizeof(*objects));
	if (objects)
		d->objects = objects;
	if (!object.build || !objects) {
		free(object.build);
		free(path);
		return -ENOMEM;
	}
	memcpy(object.build, e->words + build_at, def.build_length);
	build_at += ((uint64_t)def.build_length + 7) / 8;
	if (build_at + sizeof(extent) / 8 <= e->count)
		memcpy(&extent, e->words + build_at, sizeof(extent));
	object.begin = extent.begin;
	object.end = extent.end;
	object.since = extent.since;
	d->objects[d->object_count++] = object;
	return 0;
}

static int add_team(struct hyb_defs *d, const struct hyb_event *e)
{
	struct hyb_team_member *m;

	if (e->count < 1 + sizeof(m->def) / 8)
		return -EBADMSG;
	m = hyb_array_room(d->members, &d->member_room, d->member_count, sizeof(*m));
	if (!m)
		return -ENOMEM;
	d->members = m;
	m = &d->members[d->member_count];
	m->team = e->id;
	memcpy(&m->def, e->words + 1, sizeof(m->def));
	if (m->def.index >= m->def.size)
		return -EBADMSG;
	d->member_count++;
	return 0;
}

/* The communicator with that id, made if there is none yet. */
static int find_comm(struct hyb_defs *d, uint64_t id, struct hyb_comm **comm)
{
	size_t place = hyb_id_map_get(d->comm_map, id);
	struct hyb_comm *comms;

	if (place == HYB_ID_NONE) {
		place = d->comm_count;
		comms = hyb_array_room(d->comms, &d->comm_room, d->comm_count, sizeof(*comms));
		if (comms)
			d->comms = comms;
		if (!comms || hyb_id_map_add(d->comm_map, id, place))
			return -ENOMEM;
		memset(&d->comms[place], 0, sizeof(**comm));
		d->comms[place].id = id;
		d->comm_count++;
	}
	*comm = &d->comms[place];
	return 0;
}

static int add_comm(struct hyb_defs *d, const struct hyb_event *e)
{
	/* What was added to it later need not be there. */
	const size_t least = offsetof(struct hyb_def_comm, step);
	struct hyb_comm *comm;
	size_t size = (e->count - 1) * 8;

	if (size < least)
		return -EBADMSG;
	if (size > sizeof(comm->def))
		size = sizeof(comm->def);
	if (find_comm(d, e->id, &comm))
		return -ENOMEM;
	if (comm->defined)
		return -EBADMSG;
	memcpy(&comm->def, e->words + 1, size);
	comm->defined = true;
	comm->number = d->comms_defined++;
	return 0;
}

static int add_mpi(struct hyb_defs *d, const struct hyb_event *e)
{
	if (e->count < 1 + sizeof(d->mpi) / 8)
		return -EBADMSG;
	memcpy(&d->mpi, e->words + 1, sizeof(d->mpi));
	d->has_mpi = true;
	return 0;
}

static int add_meeting(struct hyb_defs *d, const struct hyb_event *e)
{
	struct hyb_comm *comm;

	if (e->count < 1 + sizeof(comm->meeting) / 8)
		return -EBADMSG;
	if (find_comm(d, e->id, &comm))
		return -ENOMEM;
	memcpy(&comm->meeting, e->words + 1, sizeof(comm->meeting));
	comm->met = true;
	return 0;
}

static int add_topology(struct hyb_defs *d, const struct hyb_event *e)
{
	struct hyb_comm *comm;

	return find_comm(d, e->id, &comm) ? -ENOMEM : hyb_topology_add(&comm->topology, e);
}

/* The window with that id, made if there is none yet. */
static int find_win(struct hyb_defs *d, uint64_t id, struct hyb_win **win)
{
	size_t place = hyb_id_map_get(d->win_map, id);
	struct hyb_win *wins;

	if (place == HYB_ID_NONE) {
		place = d->win_count;
		wins = hyb_array_room(d->wins, &d->win_room, d->win_count, sizeof(*wins));
		if (wins)
			d->wins = wins;
		if (!wins || hyb_id_map_add(d->win_map, id, place))
			return -ENOMEM;
		memset(&d->wins[place], 0, sizeof(**win));
		d->wins[place].id = id;
		d->win_count++;
	}
	*win = &d->wins[place];
	return 0;
}

static int add_win(struct hyb_defs *d, const struct hyb_event *e)
{
	struct hyb_win *win;

	if (e->count < 1 + sizeof(win->def) / 8)
		return -EBADMSG;
	if (find_win(d, e->id, &win))
		return -ENOMEM;
	if (win->defined)
		return -EBADMSG;
	memcpy(&win->def, e->words + 1, sizeof(win->def));
	win->defined = true;
	win->number = d->wins_defined++;
	return 0;
}

static int find_group(struct hyb_defs *d, uint64_t id, struct hyb_ranks **group)
{
	size_t place = hyb_id_map_get(d->group_map, id);
	struct hyb_ranks *groups;

	if (place == HYB_ID_NONE) {
		place = d->group_count;
		groups = hyb_array_room(d->groups, &d->group_room, place, sizeof(*groups));
		if (groups)
			d->groups = groups;
		if (!groups || hyb_id_map_add(d->group_map, id, place))
			return -ENOMEM;
		memset(&d->groups[place], 0, sizeof(**group));
		d->groups[place].id = id;
		d->group_count++;
	}
	*group = &d->groups[place];
	return 0;
}

/* Members of a communicator or, for HYB_DEF_GROUP, of a group. */
static int add_members(struct hyb_defs *d, const struct hyb_event *e)
{
	struct hyb_def_members def;
	struct hyb_ranks *group;
	struct hyb_comm *comm;
	uint32_t **list, *count, *grown;
	uint64_t upto;

	if (e->count < 1 + sizeof(def) / 8)
		return -EBADMSG;
	memcpy(&def, e->words + 1, sizeof(def));
	upto = (uint64_t)def.first + def.count;
	if (def.count > (e->count - 1 - sizeof(def) / 8) * 2 || upto > UINT32_MAX || def.remote > 1)
		return -EBADMSG;
	if (e->type == HYB_DEF_GROUP) {
		if (find_group(d, e->id, &group))
			return -ENOMEM;
		list = &group->members;
		count = &group->count;
	} else {
		if (find_comm(d, e->id, &comm))
			return -ENOMEM;
		list = def.remote ? &comm->remote : &comm->members;
		count = def.remote ? &comm->remote_count : &comm->member_count;
	}
	/*
	 * Lists are written front to back: one that would leave a hole follows a piece that was
	 * lost.
	 */
	if (def.first > *count)
		return -EBADMSG;
	if (upto > *count) {
		grown = realloc(*list, upto * sizeof(**list));
		if (!grown)
			return -ENOMEM;
		*list = grown;
		*count = (uint32_t)upto;
	}
	if (def.count)
		memcpy(*list + def.first, e->words + 1 + sizeof(def) / 8,
		       def.count * sizeof(**list));
	return 0;
}

/* Of a communicator or a window. */
static int add_name(struct hyb_defs *d, const struct hyb_event *e)
{
	struct hyb_comm *comm;
	struct hyb_win *win;
	const char **place = NULL;
	char *name;
	int err;

	if (e->count < 2)
		return -EBADMSG;
	err = hyb_event_text(e, 2, e->words[1], &name);
	if (err)
		return err;
	if (e->type == HYB_DEF_WIN_NAME && !find_win(d, e->id, &win))
		place = &win->name;
	else if (e->type == HYB_DEF_COMM_NAME && !find_comm(d, e->id, &comm))
		place = &comm->name;
	if (!place) {
		free(name);
		return -ENOMEM;
	}
	free((char *)*place);
	*place = name;
	return 0;
}

static int add_file(struct hyb_defs *d, const struct hyb_event *e)
{
	struct hyb_def_file def;
	struct hyb_file *file;
	char *name;
	int err;

	if (e->count < 1 + sizeof(def) / 8)
		return -EBADMSG;
	memcpy(&def, e->words + 1, sizeof(def));
	if (hyb_id_map_get(d->file_map, e->id) != HYB_ID_NONE)
		return -EBADMSG;
	err = hyb_event_text(e, 1 + sizeof(def) / 8, def.name_length, &name);
	if (err)
		return err;
	file = hyb_array_room(d->files, &d->file_room, d->file_count, sizeof(*file));
	if (file)
		d->files = file;
	if (!file || hyb_id_map_add(d->file_map, e->id, d->file_count)) {
		free(name);
		return -ENOMEM;
	}
	file = &d->files[d->file_count++];
	file->id = e->id;
	file->comm = def.comm;
	file->mode = def.mode;
	file->name = name;
	return 0;
}

/* 1: taken in, 0: left out (counted), -ENOMEM. */
static int add(struct hyb_defs *d, const struct hyb_event *e)
{
	int err = 0;

	switch (e->type) {
	case HYB_DEF_CLOCK:
		err = add_clock(d, e);
		break;
	case HYB_DEF_SYNC:
		err = add_sync(d, e);
		break;
	case HYB_DEF_REGION:
		err = add_region(d, e);
		break;
	case HYB_DEF_PLACE:
		err = add_place(d, e);
		break;
	case HYB_DEF_OBJECT:
		err = add_object(d, e);
		break;
	case HYB_DEF_TEAM:
		err = add_team(d, e);
		break;
	case HYB_DEF_USAGE:
		err = add_usage(d, e);
		break;
	case HYB_DEF_MARK:
		err = hyb_marks_add(d, e);
		break;
	case HYB_DEF_COMM:
		err = add_comm(d, e);
		break;
	case HYB_DEF_MPI:
		err = add_mpi(d, e);
		break;
	case HYB_DEF_MEETING:
		err = add_meeting(d, e);
		break;
	case HYB_DEF_TOPOLOGY:
		err = add_topology(d, e);
		break;
	case HYB_DEF_WIN:
		err = add_win(d, e);
		break;
	case HYB_DEF_MEMBERS:
	case HYB_DEF_GROUP:
		err = add_members(d, e);
		break;
	case HYB_DEF_COMM_NAME:
	case HYB_DEF_WIN_NAME:
		err = add_name(d, e);
		break;
	case HYB_DEF_FILE:
		err = add_file(d, e);
		break;
	case HYB_DEF_TEXT:
		err = hyb_texts_add(&d->texts, e);
		break;
	case HYB_DEF_FRAME:
		err = hyb_callers_add(&d->callers, e);
		break;
	case HYB_DEF_SOURCE:
		err = hyb_source_add(d, e);
		break;
	case HYB_DEF_METRIC:
	case HYB_DEF_METRIC_SET:
		err = hyb_metric_defs_add(&d->metrics, e);
		break;
	case HYB_EVENT_GAP:
		d->lost += e->gap->chunks + e->gap->records;
		return 0;
	default:
		d->unknown++;
		return 0;
	}
	if (err == -EBADMSG) {
		d->corrupt++;
		return 0;
	}
	return err ? err : 1;
}

static int by_counter(const void *a, const void *b)
{
	const struct hyb_def_clock *x = a, *y = b;

	return x->counter < y->counter ? -1 : x->counter > y->counter;
}

static int by_use(const void *a, const void *b)
{
	const struct hyb_team_member *x = a, *y = b;

	if (x->team != y->team)
		return x->team < y->team ? -1 : 1;
	if (x->def.use != y->def.use)
		return x->def.use < y->def.use ? -1 : 1;
	return x->def.index < y->def.index ? -1 : x->def.index > y->def.index;
}

int64_t hyb_defs_update(struct hyb_defs *d)
{
	size_t clocks = d->clock_count, members = d->member_count, marks = d->mark_count;
	struct hyb_event e;
	int64_t count = 0;
	int ret;

	if (!d->reader)
		return 0;
	while ((ret = hyb_reader_next(d->reader, &e)) > 0) {
		ret = add(d, &e);
		if (ret < 0)
			break;
		count += ret;
	}
	/*
	 * Threads take tuples and then wait for the lock, so they may come a little out of order.
	 */
	if (d->clock_count > clocks)
		qsort(d->clocks, d->clock_count, sizeof(*d->clocks), by_counter);
	if (d->member_count > members)
		qsort(d->members, d->member_count, sizeof(*d->members), by_use);
	if (d->mark_count > marks)
		hyb_marks_sort(d);
	return ret < 0 ? ret : count;
}

int hyb_defs_open(const char *path, uid_t owner, const struct hyb_diag *diag, struct hyb_defs **defs)
{
	struct hyb_defs *d = calloc(1, sizeof(*d));
	const struct hyb_file_header *header;
	int64_t ret;

	if (!d)
		return -ENOMEM;
	ret = hyb_reader_open(path, owner, diag, &d->reader);
	if (ret)
		goto err_close;
	header = hyb_reader_header(d->reader);
	if (header->kind != HYB_STREAM_DEFS) {
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: is not a stream of definitions", path);
		ret = -EINVAL;
		goto err_close;
	}
	d->counter = header->counter;
	d->pid = header->pid;
	d->start_time = header->start_time;
	d->region_map = hyb_id_map_new();
	d->comm_map = hyb_id_map_new();
	d->win_map = hyb_id_map_new();
	d->group_map = hyb_id_map_new();
	d->file_map = hyb_id_map_new();
	ret = -ENOMEM;
	if (d->region_map && d->comm_map && d->win_map && d->group_map && d->file_map)
		ret = hyb_defs_update(d);
	if (ret < 0)
		goto err_close;
	*defs = d;
	return 0;

err_close:
	hyb_defs_close(d);
	return (int)ret;
}

void hyb_defs_release(struct hyb_defs *d)
{
	hyb_reader_close(d->reader);
	d->reader = NULL;
}

void hyb_defs_close(struct hyb_defs *d)
{
	if (!d)
		return;
	hyb_defs_release(d);
	for (size_t i = 0; i < d->region_count; i++) {
		free((char *)d->regions[i].name);
		free((char *)d->regions[i].file);
	}
	hyb_texts_free(&d->texts);
	hyb_callers_free(&d->callers);
	for (size_t i = 0; i < d->comm_count; i++) {
		free((char *)d->comms[i].name);
		free(d->comms[i].members);
		free(d->comms[i].remote);
		hyb_topology_free(&d->comms[i].topology);
	}
	for (size_t i = 0; i < d->win_count; i++)
		free((char *)d->wins[i].name);
	for (size_t i = 0; i < d->group_count; i++)
		free(d->groups[i].members);
	for (size_t i = 0; i < d->file_count; i++)
		free((char *)d->files[i].name);
	for (size_t i = 0; i < d->object_count; i++) {
		free((char *)d->objects[i].path);
		free(d->objects[i].build);
	}
	hyb_metric_defs_free(&d->metrics);
	free(d->objects);
	free(d->members);
	free(d->regions);
	free(d->files);
	free(d->comms);
	free(d->wins);
	free(d->groups);
	free(d->clocks);
	free(d->syncs);
	free(d->usages);
	free(d->marks);
	hyb_id_map_free(d->region_map);
	hyb_id_map_free(d->comm_map);
	hyb_id_map_free(d->win_map);
	hyb_id_map_free(d->group_map);
	hyb_id_map_free(d->file_map);
	free(d);
}
