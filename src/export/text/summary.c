/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/text/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/text/records.h"
#include "reader/containers/array.h"
#include "reader/streams/io.h"
#include "reader/streams/rma.h"

enum kind {
	NONE, ENTER, LEAVE, POLL, SEND, RECV, COLL, ISEND, IRECV, ICOLL, STARTED, SENT, TESTED, CANCELLED,
	RMA, SYNC, RMA_DONE, READ, WRITE, FILE_OTHER, IO_DONE, POINT, FORK, JOIN, TEAM_BEGIN, TEAM_END,
	TASK_CREATE, TASK_SWITCH, TASK_COMPLETE, TASK_FULFIL, TASK_DEPEND, LOCK_ACQUIRED, LOCK_RELEASED,
	CHUNK, CANCEL,
	ERROR, ABANDONED, EVENT, KINDS,
};

static const char *const kind_names[KINDS] = {
	[ENTER] = "enter", [LEAVE] = "leave", [POLL] = "poll",
	[SEND] = "send", [RECV] = "recv", [COLL] = "coll",
	[ISEND] = "isend", [IRECV] = "irecv", [ICOLL] = "icoll", /* the last two: completed */
	[STARTED] = "started", [SENT] = "sent", [TESTED] = "tested", [CANCELLED] = "cancelled",
	[RMA] = "rma", [SYNC] = "rma-sync", [RMA_DONE] = "rma-done",
	[READ] = "read", [WRITE] = "write", [FILE_OTHER] = "file", [IO_DONE] = "io-done",
	[POINT] = "point", [FORK] = "fork", [JOIN] = "join",
	[TEAM_BEGIN] = "team-begin", [TEAM_END] = "team-end",
	[TASK_CREATE] = "task-create", [TASK_SWITCH] = "task-switch",
	[TASK_COMPLETE] = "task-complete", [TASK_FULFIL] = "task-fulfil", [TASK_DEPEND] = "task-depend",
	[LOCK_ACQUIRED] = "lock-acquired", [LOCK_RELEASED] = "lock-released",
	[CHUNK] = "chunk", [CANCEL] = "cancel",
	[ERROR] = "error", [ABANDONED] = "abandoned", [EVENT] = "event",
};

/* What stands behind a count. */
static const enum { NOTHING, BYTES, BOTH_WAYS } kind_bytes[KINDS] = {
	[SEND] = BYTES, [RECV] = BYTES, [ISEND] = BYTES, [IRECV] = BYTES,
	[READ] = BYTES, [WRITE] = BYTES, /* asked for */
	[IO_DONE] = BYTES,
	[COLL] = BOTH_WAYS, [ICOLL] = BOTH_WAYS, [RMA] = BOTH_WAYS,
};

struct count {
	char *region;
	uint64_t n[KINDS];
	uint64_t bytes[KINDS]; /* of what goes both ways: sent */
	uint64_t received[KINDS];
};

static struct {
	struct count *regions;
	size_t count;
	size_t room;
	uint64_t marks;
	uint64_t metrics;
	uint64_t streams;
	uint64_t open;
	struct hyb_reader_stats stats;
} sum;

/* The place of the region with that name, plus 1; 0: no memory. */
static size_t place_of(const char *name)
{
	struct count *regions;

	for (size_t i = 0; i < sum.count; i++) {
		if (!strcmp(sum.regions[i].region, name))
			return i + 1;
	}
	regions = hyb_array_room(sum.regions, &sum.room, sum.count, sizeof(*regions));
	if (!regions)
		return 0;
	sum.regions = regions;
	memset(&sum.regions[sum.count], 0, sizeof(sum.regions[0]));
	sum.regions[sum.count].region = strdup(name);
	return sum.regions[sum.count].region ? ++sum.count : 0;
}

/* The same by the process's number, remembered for the next time. */
static size_t place_by_id(struct print_process *p, uint64_t id)
{
	const struct hyb_region *region = p->defs ? hyb_defs_region(p->defs, id) : NULL;
	char name[32];
	size_t i;

	if (!region) {
		snprintf(name, sizeof(name), "region?%" PRIu64, id);
		return place_of(name);
	}
	i = (size_t)(region - p->defs->regions);
	if (i >= p->counts_room) {
		size_t had = p->counts_room;
		size_t *counts = hyb_array_hold(p->counts, &p->counts_room, p->defs->region_count, sizeof(*counts));

		if (!counts)
			return 0;
		memset(counts + had, 0, (p->counts_room - had) * sizeof(*counts));
		p->counts = counts;
	}
	if (!p->counts[i])
		p->counts[i] = place_of(region->name);
	return p->counts[i];
}

/* Of records that are not a window's or a file's; of those of requests there is another kind, ISENDs from SENDs on. */
static const uint8_t kinds[] = {
	[HYB_SEND] = SEND, [HYB_RECV] = RECV, [HYB_COLL] = COLL,
	[HYB_REQUEST_RECV] = STARTED, [HYB_REQUEST_COLL] = STARTED, [HYB_REQUEST_SENT] = SENT,
	[HYB_REQUEST_TESTED] = TESTED,
	[HYB_REQUEST_CANCELLED] = CANCELLED, [HYB_SEND_CANCELLED] = CANCELLED,
	[HYB_FORK] = FORK, [HYB_JOIN] = JOIN, [HYB_TEAM_BEGIN] = TEAM_BEGIN, [HYB_TEAM_END] = TEAM_END,
	[HYB_TASK_CREATE] = TASK_CREATE, [HYB_TASK_SWITCH] = TASK_SWITCH, [HYB_TASK_COMPLETE] = TASK_COMPLETE,
	[HYB_TASK_FULFIL] = TASK_FULFIL, [HYB_TASK_DEPEND] = TASK_DEPEND, [HYB_LOCK_ACQUIRED] = LOCK_ACQUIRED,
	[HYB_LOCK_RELEASED] = LOCK_RELEASED, [HYB_CHUNK] = CHUNK, [HYB_CANCEL] = CANCEL, [HYB_ERROR] = ERROR,
	[HYB_ABANDONED] = ABANDONED,
};

/* Of a window's and a file's records; their bytes go into `a`. */
static enum kind kind_of_rma(struct hyb_attached *a)
{
	struct hyb_rma rma;

	if (!hyb_rma_decode(a, &rma))
		return NONE;
	a->bytes = rma.sent;
	a->received = rma.received;
	if (hyb_rma_is_op(rma.what))
		return RMA;
	return rma.what == HYB_RMA_DONE ? RMA_DONE : SYNC;
}

static enum kind kind_of_io(struct hyb_attached *a)
{
	struct hyb_io io;

	if (!hyb_io_decode(a, &io))
		return NONE;
	switch (io.what) {
	case HYB_IO_READ:
	case HYB_IO_WRITE:
		a->bytes = io.requested;
		return io.what == HYB_IO_READ ? READ : WRITE;
	case HYB_IO_DONE:
		a->bytes = io.done;
		return IO_DONE;
	}
	return FILE_OTHER;
}

static enum kind kind_of(struct hyb_attached *a)
{
	enum kind kind = a->type < sizeof(kinds) ? kinds[a->type] : NONE;

	if (a->type == HYB_RMA)
		return kind_of_rma(a);
	if (a->type == HYB_IO)
		return kind_of_io(a);
	return a->request && kind >= SEND && kind < ISEND ? kind + (ISEND - SEND) : kind;
}

static void add_attached(struct count *c, struct hyb_attached *a)
{
	enum kind kind = kind_of(a);

	if (kind == NONE)
		return;
	c->n[kind]++;
	c->bytes[kind] += a->bytes;
	c->received[kind] += a->received;
}

/* Enters, Leaves, points, and polls, which are as many of each. */
static void add_calls(struct count *c, const struct hyb_event *e)
{
	struct hyb_poll poll;

	if (e->type == HYB_POLL) {
		memcpy(&poll, e->words + 1, sizeof(poll));
		c->n[POLL] += poll.count;
	} else if (e->type == HYB_POINT) {
		c->n[POINT]++;
	} else if (e->type != HYB_MORE) {
		c->n[e->type == HYB_ENTER ? ENTER : LEAVE]++;
	}
}

static int count_kernel(struct print_stream *s, const struct hyb_event *e)
{
	static const enum kind parts[] = {
		[PRINT_KERNEL_EVENT] = EVENT, [PRINT_KERNEL_BEGIN] = ENTER, [PRINT_KERNEL_END] = LEAVE,
	};
	char name[80];
	enum print_kernel_part part = print_kernel_name(s->process, e, name, sizeof(name));
	size_t place = place_of(name);

	if (!place)
		return -ENOMEM;
	sum.regions[place - 1].n[parts[part]]++;
	return 0;
}

int print_count(struct print_stream *s, const struct hyb_event *e)
{
	struct hyb_attached a;
	struct count *c;
	size_t place;

	if (e->type == HYB_MARK)
		sum.marks++;
	if (e->type == HYB_METRIC)
		sum.metrics++;
	if (e->type == HYB_KERNEL)
		return count_kernel(s, e);
	if (e->type != HYB_ENTER && e->type != HYB_LEAVE && e->type != HYB_MORE &&
	    e->type != HYB_POLL && e->type != HYB_POINT)
		return 0;
	/* A point may belong to no region. */
	place = e->type == HYB_POINT && !e->id ? place_of("-") : place_by_id(s->process, e->id);
	if (!place)
		return -ENOMEM;
	c = &sum.regions[place - 1];
	add_calls(c, e);
	for (uint32_t pos = 0; hyb_attached_next(e, &pos, &a);)
		add_attached(c, &a);
	return 0;
}

void print_count_stream(const struct print_stream *s)
{
	const struct hyb_reader_stats *st = hyb_reader_stats(s->reader);

	sum.streams++;
	sum.open += s->open_count;
	sum.stats.events += st->events;
	sum.stats.words += st->words;
	sum.stats.chunks += st->chunks;
	sum.stats.corrupt_chunks += st->corrupt_chunks;
	sum.stats.lost_chunks += st->lost_chunks;
	sum.stats.lost_records += st->lost_records;
	sum.stats.unknown_records += st->unknown_records;
	sum.stats.clamped += st->clamped;
}

static int by_name(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	return strcmp(x->region, y->region);
}

static void print_region(const struct count *c)
{
	for (int k = ENTER; k < KINDS; k++) {
		if (!c->n[k])
			continue;
		hyb_show(stdout, "count %s %s %" PRIu64, kind_names[k], c->region, c->n[k]);
		if (kind_bytes[k] == BYTES)
			printf(" bytes=%" PRIu64, c->bytes[k]);
		else if (kind_bytes[k] == BOTH_WAYS)
			printf(" sent=%" PRIu64 " received=%" PRIu64, c->bytes[k], c->received[k]);
		putchar('\n');
	}
}

void print_summary(const struct print_options *o)
{
	const struct hyb_reader_stats *st = &sum.stats;

	if (sum.count)
		qsort(sum.regions, sum.count, sizeof(*sum.regions), by_name);
	for (size_t i = 0; i < sum.count; i++) {
		print_region(&sum.regions[i]);
		free(sum.regions[i].region);
	}
	free(sum.regions);
	if (sum.marks)
		printf("count mark %" PRIu64 "\n", sum.marks);
	if (sum.metrics)
		printf("count metric %" PRIu64 "\n", sum.metrics);
	printf("total streams=%" PRIu64 " events=%" PRIu64 " open=%" PRIu64 " lost-records=%" PRIu64
	       " lost-chunks=%" PRIu64 " corrupt-chunks=%" PRIu64 " unknown-records=%" PRIu64,
	       sum.streams, st->events, sum.open, st->lost_records, st->lost_chunks,
	       st->corrupt_chunks, st->unknown_records);
	if (o->times)
		printf(" clamped-times=%" PRIu64 " chunks=%" PRIu64 " words=%" PRIu64
		       " bytes-per-event=%.2f",
		       st->clamped, st->chunks, st->words,
		       st->events ? 8.0 * (double)st->words / (double)st->events : 0.0);
	putchar('\n');
	memset(&sum, 0, sizeof(sum));
}
