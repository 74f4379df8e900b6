/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sink of flat.h. The time between two events goes to the region that the thread is in, and there to the innermost
 * of what the kernel did in it, or to where recording was switched off. So all parts of all regions sum to the threads'
 * time, to the nanosecond.
 */
#include "analysis/profile/flat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "merge/merge.h"
#include "merge/sink/sink.h"

#define THREADS 0u /* places of a track's rows: these, and then regions by their id */
#define PAUSED 1u
#define REGIONS 2u

struct hyb_sink {
	struct hyb_flat *flat;
};

struct hyb_flat_sink {
	struct hyb_sink_ops ops;
	struct hyb_flat *flat;
};

struct row {
	const struct hyb_gregion *region;
	enum hyb_flat_part part; /* OWN: it is none of the kernel's */
	bool known;
	uint64_t open;	 /* how often it is on the stack */
	int64_t entered; /* for the first time of these */
	struct hyb_flat_times times;
};

struct frame {
	uint32_t row;
	uint32_t user; /* the innermost that is none of the kernel's */
	enum hyb_flat_part part;
	uint64_t calls; /* that it stands for */
};

struct track {
	struct hyb_flat *flat;
	uint32_t process;
	struct row *rows;
	size_t row_count;
	size_t row_room;
	struct frame *stack; /* the first is the thread */
	size_t depth;
	size_t room;
	struct hyb_table rivals;
	uint32_t rival; /* who has the CPU, HYB_NAME_NONE: not known */
	int64_t out;	/* since when */
	bool paused;	/* regions may be left meanwhile */
	int64_t paused_at;
	int64_t last;
	uint64_t events;
};

struct key {
	enum hyb_flat_kind kind;
	const struct hyb_gregion *region;
};

static bool same_region(const void *entry, const void *key)
{
	const struct hyb_flat_region *r = entry;
	const struct key *k = key;

	return r->kind == k->kind && r->region == k->region;
}

static bool same_row(const void *entry, const void *key)
{
	const struct hyb_flat_row *a = entry, *b = key;

	return a->region == b->region && a->process == b->process;
}

static bool same_rival(const void *entry, const void *key)
{
	const struct hyb_flat_rival *a = entry, *b = key;

	return a->process == b->process && a->who == b->who;
}

enum hyb_flat_part hyb_flat_part_of(const struct hyb_gregion *region)
{
	if (region->kernel != HYB_REGION_EVENT)
		return HYB_PART_OWN;
	switch (region->kind) {
	case HYB_REGION_SYSCALL:
		return HYB_PART_SYSCALL;
	case HYB_REGION_FAULT:
		return HYB_PART_FAULT;
	case HYB_REGION_IRQ:
	case HYB_REGION_SOFTIRQ:
		return HYB_PART_INTERRUPT;
	case HYB_REGION_OFF_VOLUNTARY:
		return HYB_PART_VOLUNTARY;
	case HYB_REGION_OFF_INVOLUNTARY:
		return HYB_PART_INVOLUNTARY;
	default:
		return HYB_PART_UNKNOWN;
	}
}

static int begin(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink)
{
	struct hyb_sink *s = calloc(1, sizeof(*s));

	(void)m;
	if (!s)
		return -ENOMEM;
	s->flat = ((const struct hyb_flat_sink *)ops)->flat;
	*sink = s;
	return 0;
}

static int open_track(struct hyb_sink *s, const struct hyb_track *track, void **state)
{
	struct track *t;

	*state = NULL;
	if (track->kind != HYB_TRACK_THREAD)
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->flat = s->flat;
	t->process = (uint32_t)track->process;
	hyb_table_init(&t->rivals, sizeof(struct hyb_flat_rival), same_rival);
	*state = t;
	return 0;
}

/* Makes the row, if need be. 0 or -ENOMEM. */
static int know(struct track *t, uint32_t row, const struct hyb_gregion *region)
{
	struct row *rows = hyb_array_hold(t->rows, &t->row_room, row + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	t->rows = rows;
	while (t->row_count <= row)
		rows[t->row_count++] = (struct row){ .known = false };
	if (rows[row].known)
		return 0;
	rows[row].known = true;
	rows[row].region = region;
	rows[row].part = region ? hyb_flat_part_of(region) : HYB_PART_OWN;
	return 0;
}

static int push(struct track *t, uint32_t row, const struct hyb_gregion *region, uint64_t calls)
{
	struct frame *grown;
	struct row *rows;

	if (know(t, row, region))
		return -ENOMEM;
	rows = t->rows;
	grown = hyb_array_room(t->stack, &t->room, t->depth, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->stack = grown;
	if (!rows[row].open++)
		rows[row].entered = t->last;
	grown[t->depth] = (struct frame){ .row = row, .user = row, .part = rows[row].part, .calls = calls };
	if (rows[row].part != HYB_PART_OWN)
		grown[t->depth].user = grown[t->depth - 1].user;
	t->depth++;
	return 0;
}

static void pop(struct track *t)
{
	const struct frame *f = &t->stack[--t->depth];
	struct row *row = &t->rows[f->row];

	row->times.visits += f->calls;
	if (!--row->open)
		row->times.inclusive += t->last - row->entered;
	if (f->part != HYB_PART_OWN)
		t->rows[f->user].times.count[f->part] += f->calls;
}

/* The time since the last event. */
static void pass(struct track *t, int64_t now)
{
	const struct frame *top = &t->stack[t->depth - 1];
	int64_t ns = now - t->last;

	if (t->paused)
		t->rows[PAUSED].times.part[HYB_PART_OWN] += ns;
	else
		t->rows[top->user].times.part[top->part] += ns;
	if (!t->paused && top->row != top->user)
		t->rows[top->row].times.part[top->part] += ns;
	t->last = now;
}

/* Adds up what is in `from`. */
static int add_rival(struct hyb_table *to, const struct hyb_flat_rival *from)
{
	uint64_t hash = hyb_mix((uint64_t)from->process << 32 | from->who);
	struct hyb_flat_rival *found = hyb_table_find(to, hash, from);

	if (!found) {
		found = hyb_table_add(to, hash);
		if (!found)
			return -ENOMEM;
		*found = *from;
		return 0;
	}
	found->count += from->count;
	found->ns += from->ns;
	if (found->cpu == HYB_FLAT_NO_CPU)
		found->cpu = from->cpu;
	else if (from->cpu != HYB_FLAT_NO_CPU && from->cpu != found->cpu)
		found->cpu = HYB_FLAT_CPUS;
	return 0;
}

/* The thread has the CPU again that another had. */
static int come_back(struct track *t, const struct hyb_merge_event *e)
{
	struct hyb_flat_rival rival = {
		.process = t->process,
		.who = t->rival,
		.count = 1,
		.ns = e->time - t->out,
		.cpu = HYB_FLAT_NO_CPU,
	};

	for (uint32_t i = 0; i < e->attribute_count; i++) {
		if (e->attributes[i].id == HYB_ATTRIBUTE_KERNEL_CPU)
			rival.cpu = e->attributes[i].value;
		else if (e->attributes[i].id == HYB_ATTRIBUTE_KERNEL_HELD)
			rival.who = (uint32_t)e->attributes[i].value;
	}
	return rival.who == HYB_NAME_NONE ? 0 : add_rival(&t->rivals, &rival);
}

static int leave(struct track *t, const struct hyb_merge_event *e)
{
	int err = 0;

	if (t->depth < 2)
		return 0;
	if (t->stack[t->depth - 1].part == HYB_PART_INVOLUNTARY)
		err = come_back(t, e);
	pop(t);
	return err;
}

static int enter(struct track *t, const struct hyb_merge_event *e)
{
	uint64_t calls = 1;

	t->rival = HYB_NAME_NONE;
	t->out = e->time;
	for (uint32_t i = 0; i < e->attribute_count; i++)
		if (e->attributes[i].id == HYB_ATTRIBUTE_KERNEL_NEXT)
			t->rival = (uint32_t)e->attributes[i].value;

	for (uint32_t i = 0; i < e->attribute_count; i++)
		if (e->attributes[i].id == HYB_ATTRIBUTE_POLLS && e->attributes[i].value)
			calls = e->attributes[i].value;
	return push(t, REGIONS + e->region->id, e->region, calls);
}

static int pause_now(struct track *t)
{
	if (t->paused || know(t, PAUSED, NULL))
		return t->paused ? 0 : -ENOMEM;
	t->paused = true;
	t->paused_at = t->last;
	t->rows[PAUSED].times.visits++;
	return 0;
}

static void go_on(struct track *t)
{
	if (t->paused)
		t->rows[PAUSED].times.inclusive += t->last - t->paused_at;
	t->paused = false;
}

static int on_event(void *state, const struct hyb_merge_event *e)
{
	struct track *t = state;
	int err;

	if (!t)
		return 0;
	if (!t->depth) {
		t->last = e->time;
		err = push(t, THREADS, NULL, 1);
		if (err)
			return err;
	}
	t->events++;
	pass(t, e->time);
	switch (e->kind) {
	case HYB_KIND_ENTER:
		return enter(t, e);
	case HYB_KIND_LEAVE:
		return leave(t, e);
	case HYB_KIND_OFF:
		return pause_now(t);
	case HYB_KIND_ON:
		go_on(t);
		return 0;
	default:
		return 0;
	}
}

static void add(struct hyb_flat_times *to, const struct hyb_flat_times *t)
{
	to->visits += t->visits;
	to->inclusive += t->inclusive;
	for (int i = 0; i < HYB_PARTS; i++) {
		to->part[i] += t->part[i];
		to->count[i] += t->count[i];
	}
}

int hyb_flat_add(struct hyb_flat *f, uint32_t process, enum hyb_flat_kind kind, const struct hyb_gregion *of,
		 const struct hyb_flat_times *times)
{
	const struct key key = { .kind = kind, .region = of };
	uint64_t hash = hyb_mix((uintptr_t)key.region + key.kind);
	struct hyb_flat_region *region = hyb_table_find(&f->regions, hash, &key);
	struct hyb_flat_row like = { .process = process }, *found;

	if (!region) {
		region = hyb_table_add(&f->regions, hash);
		if (!region)
			return -ENOMEM;
		region->kind = key.kind;
		region->region = key.region;
		region->part = of ? hyb_flat_part_of(of) : HYB_PART_OWN;
	}
	like.region = (uint32_t)(((char *)region - f->regions.entries) / (ptrdiff_t)sizeof(*region));
	hash = hyb_mix((uint64_t)like.region << 32 | process);
	found = hyb_table_find(&f->rows, hash, &like);
	if (!found && (found = hyb_table_add(&f->rows, hash)))
		*found = like;
	if (!found)
		return -ENOMEM;
	add(&found->times, times);
	add(&region->times, times);
	return 0;
}

/* Under the lock. */
static int join_row(struct hyb_flat *f, uint32_t process, uint32_t place, const struct row *row)
{
	enum hyb_flat_kind kind = place == THREADS	    ? HYB_FLAT_THREADS
				  : place == PAUSED	    ? HYB_FLAT_PAUSED
				  : row->part != HYB_PART_OWN ? HYB_FLAT_KERNEL
							      : HYB_FLAT_REGION;

	return hyb_flat_add(f, process, kind, row->region, &row->times);
}

static int close_track(void *state, uint64_t *events)
{
	struct track *t = state;
	int err = 0;

	*events = t ? t->events : 0;
	if (!t)
		return 0;
	go_on(t);
	while (t->depth)
		pop(t);
	pthread_mutex_lock(&t->flat->lock);
	for (uint32_t i = 0; i < t->row_count && !err; i++)
		if (t->rows[i].known)
			err = join_row(t->flat, t->process, i, &t->rows[i]);
	for (uint32_t i = 0; i < t->rivals.count && !err; i++)
		err = add_rival(&t->flat->rivals, hyb_table_at(&t->rivals, i));
	pthread_mutex_unlock(&t->flat->lock);
	hyb_table_free(&t->rivals);
	free(t->rows);
	free(t->stack);
	free(t);
	return err;
}

static int end(struct hyb_sink *s)
{
	(void)s;
	return 0;
}

static void free_sink(struct hyb_sink *s)
{
	free(s);
}

void hyb_flat_init(struct hyb_flat *flat)
{
	memset(flat, 0, sizeof(*flat));
	hyb_table_init(&flat->regions, sizeof(struct hyb_flat_region), same_region);
	hyb_table_init(&flat->rows, sizeof(struct hyb_flat_row), same_row);
	pthread_mutex_init(&flat->lock, NULL);
	hyb_table_init(&flat->rivals, sizeof(struct hyb_flat_rival), same_rival);
	flat->begun = true;
}

const struct hyb_sink_ops *hyb_flat_sink(struct hyb_flat *flat, struct hyb_flat_sink **sink)
{
	static const char *const parts[] = { NULL };
	struct hyb_flat_sink *s = calloc(1, sizeof(*s));

	hyb_flat_init(flat);
	*sink = s;
	if (!s)
		return NULL;
	s->ops = (struct hyb_sink_ops){
		.name = "report",
		.parts = parts,
		.begin = begin,
		.open = open_track,
		.event = on_event,
		.close = close_track,
		.end = end,
		.free = free_sink,
	};
	s->flat = flat;
	return &s->ops;
}

void hyb_flat_sink_free(struct hyb_flat_sink *sink)
{
	free(sink);
}

void hyb_flat_free(struct hyb_flat *flat)
{
	if (!flat->begun)
		return;
	hyb_table_free(&flat->regions);
	hyb_table_free(&flat->rows);
	hyb_table_free(&flat->rivals);
	pthread_mutex_destroy(&flat->lock);
	free(flat->order);
	free(flat->processes);
	flat->begun = false;
}
