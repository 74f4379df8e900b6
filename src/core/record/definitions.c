/* SPDX-License-Identifier: BSD-3-Clause */
/* The DEFS stream; see defs.h. */
#include "core/record/definitions.h"

#include <string.h>

#include "core/sys/clock.h"
#include "core/sys/stack.h"
#include "core/sys/sys.h"
#include "core/record/recorder.h"
#include "core/record/stream.h"

/* A definition may fill most of a smallest chunk; longer ones come in pieces (members) or are cut (names). */
#define MAX_WORDS	1200
#define MAX_NAME	HYB_DEF_TAIL
#define MAX_MEMBERS	2048
#define MAX_BUILD	64	/* bytes of a build id; longer ones are left out */

static struct {
	int lock;
	struct hyb_thread writer;
	struct hyb_stream stream;
	uint32_t last_comm;
	uint32_t last_win;
	uint32_t last_group;
	uint32_t last_file;
	uint32_t last_region;		/* from HYB_REGION_DYNAMIC on */
	uint32_t last_wide_region;
	uint32_t last_text;
	uint32_t last_metric;
	uint32_t last_metric_set;
} defs;

static void extend(void *err)
{
	*(int *)err = hyb_stream_extend(&defs.stream, &defs.writer, hyb_counter());
}

/* Room for a record of `words`; NULL where there is none, which is counted. */
static uint64_t *begin(size_t words)
{
	struct hyb_thread *w = &defs.writer;
	int err;

	if (!hyb_recorder_is_recording())
		return NULL;
	/* Reserved space grows in steps that may be smaller than the record. */
	while (!w->end || w->pos + words > w->end) {
		if (hyb_stream_drops(&defs.stream, hyb_counter()))
			return NULL;
		hyb_stack_run(extend, &err);
		if (err)
			return NULL;
	}
	return w->pos;
}

static void end(uint64_t *p)
{
	struct hyb_thread *w = &defs.writer;

	w->pos = p;
	__atomic_store_n(&w->chunk->used, (uint64_t)(p - (uint64_t *)(w->chunk + 1)),
			 __ATOMIC_RELEASE);
}

static size_t words_of(size_t bytes)
{
	return (bytes + 7) / 8;
}

void hyb_def_record(enum hyb_record_type type, uint64_t id, const void *fixed, size_t fixed_size,
		    const void *tail, size_t tail_size)
{
	size_t words = 1 + words_of(fixed_size) + words_of(tail_size);
	uint64_t signals;
	uint64_t *p;

	/* In a child made by fork the lock may be that of a thread that is not there. */
	if (!hyb_recorder_is_recording())
		return;
	hyb_sys_lock(&defs.lock, &signals);
	p = begin(words);
	if (p) {
		p[0] = (uint64_t)type << HYB_TYPE_SHIFT | (uint64_t)words << HYB_ID_SHIFT | id;
		p[words - 1] = 0;
		memcpy(p + 1, fixed, fixed_size);
		if (tail_size)
			memcpy(p + 1 + words_of(fixed_size), tail, tail_size);
		end(p + words);
	}
	hyb_sys_unlock(&defs.lock, &signals);
}

static size_t name_length(const char *name)
{
	size_t n = strlen(name);

	return n < MAX_NAME ? n : MAX_NAME;
}

int hyb_defs_start(void)
{
	static const char name[] = "defs.hyb";

	defs.stream.kind = HYB_STREAM_DEFS;
	memcpy(defs.stream.name, name, sizeof(name));
	return hyb_stream_create(&defs.stream, &defs.writer, hyb_counter());
}

void hyb_defs_end(void)
{
	uint64_t signals;

	hyb_sys_lock(&defs.lock, &signals);
	hyb_stream_close(&defs.stream, &defs.writer);
	hyb_sys_unlock(&defs.lock, &signals);
}

uint64_t hyb_defs_lost(void)
{
	return __atomic_load_n(&defs.stream.lost, __ATOMIC_RELAXED);
}

void hyb_def_clock(void)
{
	struct hyb_def_clock clock;

	hyb_clock_read(&clock);
	hyb_def_record(HYB_DEF_CLOCK, 0, &clock, sizeof(clock), NULL, 0);
}

void hyb_def_mark(uint32_t stream, enum hyb_mark which, uint64_t now)
{
	const struct hyb_def_mark mark = { .counter = now, .stream = stream, .which = which };

	hyb_def_record(HYB_DEF_MARK, 0, &mark, sizeof(mark), NULL, 0);
}

uint32_t hyb_def_region_id(uint32_t end)
{
	uint32_t last = __atomic_load_n(&defs.last_region, __ATOMIC_RELAXED);

	do {
		if (HYB_REGION_DYNAMIC + last >= end)
			return 0;
	} while (!__atomic_compare_exchange_n(&defs.last_region, &last, last + 1, true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return HYB_REGION_DYNAMIC + last;
}

uint32_t hyb_def_region_wide_id(void)
{
	return HYB_ID_MASK + 1 + __atomic_fetch_add(&defs.last_wide_region, 1, __ATOMIC_RELAXED);
}

void hyb_def_region(uint32_t id, enum hyb_role role, enum hyb_paradigm paradigm, enum hyb_coll coll,
		    const char *name)
{
	struct hyb_def_region region = {
		.role = (uint8_t)role,
		.paradigm = (uint8_t)paradigm,
		.coll = (uint8_t)coll,
		.name_length = (uint32_t)name_length(name),
	};

	hyb_def_record(HYB_DEF_REGION, id, &region, sizeof(region), name, region.name_length);
}

uint32_t hyb_def_comm_id(void)
{
	return __atomic_fetch_add(&defs.last_comm, 1, __ATOMIC_RELAXED);
}

void hyb_def_comm(uint32_t id, const struct hyb_def_comm *def)
{
	hyb_def_record(HYB_DEF_COMM, id, def, sizeof(*def), NULL, 0);
}

void hyb_def_mpi(int any_source, int any_tag, int proc_null)
{
	const struct hyb_def_mpi mpi = { .any_source = any_source, .any_tag = any_tag, .proc_null = proc_null };

	hyb_def_record(HYB_DEF_MPI, 0, &mpi, sizeof(mpi), NULL, 0);
}

void hyb_def_meeting(uint32_t id, const struct hyb_def_meeting *def)
{
	hyb_def_record(HYB_DEF_MEETING, id, def, sizeof(*def), NULL, 0);
}

void hyb_def_sync(const struct hyb_def_sync *def)
{
	hyb_def_record(HYB_DEF_SYNC, 0, def, sizeof(*def), NULL, 0);
}

static void define_members(enum hyb_record_type type, uint32_t id, int remote, uint32_t first,
			   uint32_t count, const uint32_t *world_ranks)
{
	/* One at least: a group may have no members. */
	do {
		struct hyb_def_members members = {
			.first = first,
			.count = count < MAX_MEMBERS ? count : MAX_MEMBERS,
			.remote = (uint32_t)remote,
		};

		hyb_def_record(type, id, &members, sizeof(members), world_ranks,
		       members.count * sizeof(*world_ranks));
		first += members.count;
		world_ranks += members.count;
		count -= members.count;
	} while (count);
}

void hyb_def_members(uint32_t id, int remote, uint32_t first, uint32_t count,
		     const uint32_t *world_ranks)
{
	define_members(HYB_DEF_MEMBERS, id, remote, first, count, world_ranks);
}

void hyb_def_topology(uint32_t id, const struct hyb_def_topology *def, const uint32_t *list)
{
	struct hyb_def_topology piece = *def;
	uint32_t left = def->count;

	/* One at least: a shape may have nothing in its list. */
	do {
		piece.count = left < MAX_MEMBERS ? left : MAX_MEMBERS;
		hyb_def_record(HYB_DEF_TOPOLOGY, id, &piece, sizeof(piece), list, piece.count * sizeof(*list));
		piece.first += piece.count;
		list += piece.count;
		left -= piece.count;
	} while (left);
}

void hyb_def_comm_name(uint32_t id, const char *name)
{
	uint64_t length = name_length(name);

	hyb_def_record(HYB_DEF_COMM_NAME, id, &length, sizeof(length), name, length);
}

uint32_t hyb_def_win_id(void)
{
	return __atomic_fetch_add(&defs.last_win, 1, __ATOMIC_RELAXED);
}

void hyb_def_win(uint32_t id, const struct hyb_def_win *def)
{
	hyb_def_record(HYB_DEF_WIN, id, def, sizeof(*def), NULL, 0);
}

void hyb_def_win_name(uint32_t id, const char *name)
{
	uint64_t length = name_length(name);

	hyb_def_record(HYB_DEF_WIN_NAME, id, &length, sizeof(length), name, length);
}

uint32_t hyb_def_group_id(void)
{
	return __atomic_fetch_add(&defs.last_group, 1, __ATOMIC_RELAXED);
}

void hyb_def_group(uint32_t id, uint32_t first, uint32_t count, const uint32_t *world_ranks)
{
	define_members(HYB_DEF_GROUP, id, 0, first, count, world_ranks);
}

uint32_t hyb_def_file_id(void)
{
	return __atomic_fetch_add(&defs.last_file, 1, __ATOMIC_RELAXED);
}

void hyb_def_file(uint32_t id, uint32_t comm, uint32_t mode, const char *name)
{
	struct hyb_def_file file = {
		.comm = comm,
		.mode = mode,
		.name_length = (uint32_t)name_length(name),
	};

	hyb_def_record(HYB_DEF_FILE, id, &file, sizeof(file), name, file.name_length);
}

void hyb_def_place(uint32_t id, uint64_t address, uint32_t object)
{
	const struct hyb_def_place place = { .address = address, .object = object };

	hyb_def_record(HYB_DEF_PLACE, id, &place, sizeof(place), NULL, 0);
}

void hyb_def_source(uint32_t id, const char *file, uint32_t line)
{
	const struct hyb_def_source source = { .line = line, .file_length = (uint32_t)name_length(file) };

	hyb_def_record(HYB_DEF_SOURCE, id, &source, sizeof(source), file, source.file_length);
}

uint32_t hyb_def_text_id(void)
{
	return __atomic_add_fetch(&defs.last_text, 1, __ATOMIC_RELAXED);
}

void hyb_def_text(uint32_t id, const char *text, size_t length)
{
	uint64_t size = length < MAX_NAME ? length : MAX_NAME;

	hyb_def_record(HYB_DEF_TEXT, id, &size, sizeof(size), text, size);
}

uint32_t hyb_def_metric_id(void)
{
	return __atomic_add_fetch(&defs.last_metric, 1, __ATOMIC_RELAXED);
}

uint32_t hyb_def_metric_set_id(void)
{
	return __atomic_add_fetch(&defs.last_metric_set, 1, __ATOMIC_RELAXED);
}

/* Puts a text into what follows a definition, cut to `room`; behind it. */
static size_t put_text(unsigned char *tail, size_t at, const char *text, size_t room, uint32_t *length)
{
	size_t n = strlen(text);

	*length = (uint32_t)(n < room ? n : room);
	memcpy(tail + at, text, *length);
	n = 8 * words_of(*length);
	memset(tail + at + *length, 0, n - *length);
	return at + n;
}

void hyb_def_metric(uint32_t id, const struct hyb_def_metric *def, const char *name, const char *unit,
		    const char *description)
{
	const size_t room = MAX_NAME / 4;
	struct hyb_def_metric d = *def;
	unsigned char tail[MAX_NAME];
	size_t at = put_text(tail, 0, name, room, &d.name_length);

	at = put_text(tail, at, unit, room, &d.unit_length);
	at = put_text(tail, at, description, room, &d.description_length);
	hyb_def_record(HYB_DEF_METRIC, id, &d, sizeof(d), tail, at);
}

void hyb_def_metric_set(uint32_t id, uint32_t count, const uint32_t *metrics)
{
	const struct hyb_def_metric_set set = { .count = count };

	hyb_def_record(HYB_DEF_METRIC_SET, id, &set, sizeof(set), metrics, count * sizeof(*metrics));
}

void hyb_def_object(uint32_t id, uint64_t base, const char *path, const void *build, uint32_t build_length,
		    const struct hyb_def_extent *extent)
{
	unsigned char tail[MAX_NAME + MAX_BUILD + sizeof(*extent)];
	struct hyb_def_object object = { .base = base, .path_length = (uint32_t)name_length(path) };
	size_t at = 8 * words_of(object.path_length);

	object.build_length = build_length < MAX_BUILD ? build_length : 0;
	memset(tail, 0, at + MAX_BUILD);
	memcpy(tail, path, object.path_length);
	memcpy(tail + at, build, object.build_length);
	at += 8 * words_of(object.build_length);
	memcpy(tail + at, extent, sizeof(*extent));
	hyb_def_record(HYB_DEF_OBJECT, id, &object, sizeof(object), tail, at + sizeof(*extent));
}

void hyb_def_team(uint32_t id, const struct hyb_def_team *def)
{
	hyb_def_record(HYB_DEF_TEAM, id, def, sizeof(*def), NULL, 0);
}

_Static_assert(MAX_WORDS * 8 < HYB_CHUNK_MIN - sizeof(struct hyb_chunk_header) - 2048 &&
	       MAX_MEMBERS * 4 / 8 + 8 < MAX_WORDS && MAX_NAME / 8 + 8 < MAX_WORDS,
	       "every definition fits in the smallest chunk");
