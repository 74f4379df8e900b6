/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPUs' own locations: which task ran when, with the interrupts that came meanwhile. Where nothing is known of a
 * CPU, because its first event is still to come or events are missing, it is in no region.
 */
#include "merge/kernel/reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"

struct block {
	uint64_t device;
	uint64_t sector;
	uint64_t since; /* 0: it is complete */
};

static bool same_block(const void *entry, const void *key)
{
	const struct block *a = entry, *b = key;

	return a->device == b->device && a->sector == b->sector;
}

static void tell(struct hyb_reading *k, struct hyb_kcpu_state *c, enum hyb_kind kind, struct hyb_gregion *region)
{
	struct hyb_merge_event e = { .kind = kind, .time = c->now, .region = region };

	if (region)
		hyb_reading_number(k, region);
	hyb_outlet_tell_with(&c->out, &e);
	if (__builtin_expect(c->out.err, 0)) {
		k->err = c->out.err;
		k->said = true;
	}
}

static void note_time(struct hyb_kcpu_state *c, int64_t time)
{
	if (time > c->now)
		c->now = time;
	if (!c->begun)
		c->cpu->first = c->now;
	c->begun = c->cpu->timed = true;
	c->cpu->last = c->now;
}

/* With the attributes gathered for it, which are then gone. */
static void enter(struct hyb_reading *k, struct hyb_kcpu_state *c, struct hyb_gregion *region)
{
	if (!c->told)
		return;
	note_time(c, k->now);
	tell(k, c, HYB_KIND_ENTER, region);
}

static void leave(struct hyb_reading *k, struct hyb_kcpu_state *c, struct hyb_gregion *region)
{
	if (!c->told)
		return;
	note_time(c, k->now);
	tell(k, c, HYB_KIND_LEAVE, region);
}

/* Leaves interrupts that have no end, and the task. */
static void leave_all(struct hyb_reading *k, struct hyb_kcpu_state *c)
{
	while (c->depth)
		leave(k, c, c->frames[--c->depth].region);
	if (c->region)
		leave(k, c, c->region);
	c->region = NULL;
	c->known = false;
}

static void enter_task(struct hyb_reading *k, struct hyb_kcpu_state *c, const struct hyb_kernel_event *e,
		       uint32_t number)
{
	struct hyb_ktask_state *task;

	c->known = true;
	c->task = number;
	if (!c->told)
		return;
	task = hyb_ktask_get(k, number, e->time);
	c->region = task ? hyb_ktask_region(k, task) : NULL;
	if (c->region)
		enter(k, c, c->region);
}

static void on_interrupt(struct hyb_reading *k, struct hyb_kcpu_state *c, const struct hyb_kernel_event *e)
{
	bool hard = e->what == HYB_KERNEL_IRQ_ENTER || e->what == HYB_KERNEL_IRQ_EXIT;
	uint32_t what = hard ? HYB_KERNEL_IRQ_ENTER : HYB_KERNEL_SOFTIRQ_ENTER;
	struct hyb_kcpu_frame *frames;
	struct hyb_gregion *region;
	size_t i = c->depth;

	if (e->what == what) {
		region = hyb_reading_region(k, what, e->detail);
		frames = region ? hyb_array_room(c->frames, &c->room, c->depth, sizeof(*frames)) : NULL;
		if (!frames) {
			k->err = -ENOMEM;
			return;
		}
		c->frames = frames;
		c->frames[c->depth++] = (struct hyb_kcpu_frame){ what, e->detail, region };
		enter(k, c, region);
		return;
	}
	while (i-- > 0)
		if (c->frames[i].what == what && c->frames[i].id == e->detail)
			break;
	while (i != SIZE_MAX && c->depth > i)
		leave(k, c, c->frames[--c->depth].region);
}

static void on_issue(struct hyb_reading *k, const struct hyb_kernel_event *e)
{
	const struct block key = { e->word[0] >> 32, e->word[1], e->time };
	uint64_t hash = hyb_mix(key.sector ^ hyb_mix(key.device));
	struct block *b = hyb_table_find(&k->blocks, hash, &key);

	/* What never completes must not fill the memory. */
	if (!b && k->blocks.count >= 65536)
		hyb_table_clear(&k->blocks);
	if (!b)
		b = hyb_table_add(&k->blocks, hash);
	if (b)
		*b = key;
	else
		k->err = -ENOMEM;
}

static void on_complete(struct hyb_reading *k, struct hyb_kcpu_state *c, const struct hyb_kernel_event *e)
{
	const struct block key = { e->word[0] >> 32, e->word[1], 0 };
	struct block *b = hyb_table_find(&k->blocks, hyb_mix(key.sector ^ hyb_mix(key.device)), &key);
	struct hyb_gregion *region = hyb_reading_region(k, e->what, e->detail & HYB_BLOCK_WRITE);
	uint64_t device = c->told ? hyb_reading_device(k, (uint32_t)key.device) : HYB_KSTRING_NONE;

	if (c->told && region) {
		hyb_outlet_attribute(&c->out, HYB_ATTRIBUTE_KERNEL_BYTES, (uint32_t)e->word[0]);
		if (device != HYB_KSTRING_NONE)
			hyb_outlet_attribute(&c->out, HYB_ATTRIBUTE_KERNEL_DEVICE, device);
		if (b && b->since)
			hyb_outlet_attribute(&c->out, HYB_ATTRIBUTE_KERNEL_LATENCY, e->time - b->since);
		enter(k, c, region);
		leave(k, c, region);
	}
	if (b)
		b->since = 0;
}

int hyb_kcpu_begin(struct hyb_reading *k)
{
	static const struct hyb_sinks nobody;
	struct hyb_track track = { .kind = HYB_TRACK_CPU, .node = (size_t)(k->node - k->m->kernel.nodes) };
	size_t i;
	int ret;

	hyb_table_init(&k->blocks, sizeof(struct block), same_block);
	k->cpus = calloc(k->node->model->cpu_count + 1, sizeof(*k->cpus));
	if (!k->cpus)
		return -ENOMEM;
	for (i = 0; i < k->node->model->cpu_count; i++) {
		k->cpus[i].cpu = &k->node->model->cpus[i];
		k->cpus[i].now = k->cpus[i].switched = INT64_MIN;
		k->cpus[i].waiting = SIZE_MAX;
		if (!k->m->model.options.cpus || k->node->model->tasks)
			continue;
		track.cpu = i;
		track.index = k->node->model->first_track + i;
		track.location = k->node->model->cpus[i].group;
		k->cpus[i].told = true;
		ret = hyb_outlet_open(&k->cpus[i].out, k->needs ? &nobody : &k->m->sinks, &track);
		if (!ret && !k->needs && !hyb_selection_is_all(&k->m->selection))
			ret = hyb_outlet_select(&k->cpus[i].out, &k->m->selection, NULL, HYB_EXCERPT_TELL);
		k->said = ret;
		if (ret)
			return ret;
	}
	return 0;
}

void hyb_kcpu_event(struct hyb_reading *k, const struct hyb_kernel_event *e)
{
	struct hyb_kcpu_state *c = &k->cpus[e->source];

	if (k->node->model->tasks)
		return;
	if (c->known && c->task != e->task) {
		/* A switch is missing. */
		k->node->repaired++;
		leave_all(k, c);
	}
	if (!c->known && e->what != HYB_KERNEL_SWITCH)
		enter_task(k, c, e, e->task);
	switch (e->what) {
	case HYB_KERNEL_SWITCH:
		c->switched = k->now;
		leave_all(k, c);
		enter_task(k, c, e, (uint32_t)e->word[0]);
		break;
	case HYB_KERNEL_IRQ_ENTER:
	case HYB_KERNEL_IRQ_EXIT:
	case HYB_KERNEL_SOFTIRQ_ENTER:
	case HYB_KERNEL_SOFTIRQ_EXIT:
		on_interrupt(k, c, e);
		break;
	case HYB_KERNEL_BLOCK_ISSUE:
		on_issue(k, e);
		break;
	case HYB_KERNEL_BLOCK_COMPLETE:
		on_complete(k, c, e);
		break;
	}
}

static void begin_loss(struct hyb_reading *k, struct hyb_kcpu_state *c, uint64_t until, uint64_t lost)
{
	leave_all(k, c);
	if (!c->told)
		return;
	hyb_outlet_attribute(&c->out, HYB_ATTRIBUTE_KERNEL_UNTIL, until);
	hyb_outlet_attribute(&c->out, HYB_ATTRIBUTE_KERNEL_LOST, lost);
	enter(k, c, k->m->kernel.lost);
	tell(k, c, HYB_KIND_OFF, NULL);
}

static void end_loss(struct hyb_reading *k, struct hyb_kcpu_state *c)
{
	if (!c->told)
		return;
	note_time(c, k->now);
	tell(k, c, HYB_KIND_ON, NULL);
	leave(k, c, k->m->kernel.lost);
}

void hyb_kcpu_gap(struct hyb_reading *k, const struct hyb_kernel_event *e)
{
	struct hyb_kcpu_state *c = &k->cpus[e->source];
	bool begins = e->what == HYB_KERNEL_GAP_BEGIN;

	if (begins == c->blind)
		return;
	c->blind = begins;
	/* What is missing of one thread says nothing of others. */
	if (k->node->model->tasks)
		return;
	/* Where only a switch is missing, all that threads do there is seen. */
	if (e->detail != HYB_LOST_SWITCH)
		k->blind += begins ? 1 : -1u;
	if (begins)
		begin_loss(k, c, (uint64_t)hyb_reading_time(k, e->word[0]), e->lost);
	else
		end_loss(k, c);
}

/* Up to when anybody ran on the node: where its collector was killed, kernel data is missing until then. */
static int64_t last_on_host(const struct hyb_reading *k)
{
	const struct hyb_merge *m = k->m;
	int64_t last = INT64_MIN;
	size_t i;

	for (i = 0; i < m->model.process_count; i++)
		if (m->model.processes[i].host == k->node->model->host && m->model.processes[i].timed && m->model.processes[i].last > last)
			last = m->model.processes[i].last;
	return last;
}

void hyb_kcpu_finish(struct hyb_reading *k, int64_t end)
{
	int64_t last = last_on_host(k);
	struct hyb_kcpu_state *c;
	uint64_t ended;
	size_t i;

	for (i = 0; i < k->node->model->cpu_count; i++) {
		c = &k->cpus[i];
		if (!c->told)
			continue;
		ended = hyb_kernel_ended(k->reader, i);
		k->now = ended ? hyb_reading_time(k, ended) : end;
		leave_all(k, c);
		if (!k->node->model->killed || last <= k->now || last <= c->now)
			continue;
		begin_loss(k, c, (uint64_t)last, 0);
		k->now = last;
		end_loss(k, c);
	}
}

int hyb_kcpu_end(struct hyb_reading *k)
{
	struct hyb_kcpu_state *c;
	int ret = 0, closed;
	uint64_t events;
	size_t i;

	for (i = 0; k->cpus && i < k->node->model->cpu_count; i++) {
		c = &k->cpus[i];
		free(c->frames);
		events = 0;
		closed = c->told ? hyb_outlet_close(&c->out, &events) : 0;
		k->node->events += events;
		k->said |= closed;
		ret = ret ? ret : closed;
	}
	free(k->cpus);
	k->cpus = NULL;
	hyb_table_free(&k->blocks);
	return ret;
}
