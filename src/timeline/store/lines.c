/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines between tracks: messages, and in collective operations from the member that came last to those that waited. */
#include <errno.h>
#include <stdlib.h>

#include "reader/containers/array.h"
#include "timeline/store/collect.h"
#include "timeline/store/io.h"

int hyb_collect_write_lines(struct hyb_collect_track *t)
{
	struct hyb_view_store *s = t->sink->store;
	struct hyb_view_batch *grown;
	const void *bytes;
	int err;

	if (!t->message_count)
		return 0;
	t->batch.count = t->message_count;
	t->batch.to = (uint32_t)t->own.track.index;
	err = hyb_view_pack_messages(t->packer, t->messages, t->message_count, &bytes,
				     &t->batch.size);
	if (err)
		return err;
	t->batch.offset = hyb_collect_space(s, t->batch.size);
	err = hyb_view_write_at(s->fd, bytes, t->batch.size, t->batch.offset);
	pthread_mutex_lock(&t->sink->lock);
	grown = hyb_array_room(s->batches.list, &s->batches.room, s->batches.count, sizeof(*grown));
	if (grown) {
		s->batches.list = grown;
		grown[s->batches.count++] = t->batch;
		s->message_count += t->message_count;
	}
	pthread_mutex_unlock(&t->sink->lock);
	t->message_count = 0;
	return err ? err : grown ? 0 : -ENOMEM;
}

static int add_line(struct hyb_collect_track *t, const struct hyb_view_message *line)
{
	/* Where clocks differ it may be received before it is sent. */
	const uint64_t first = line->sent < line->received ? line->sent : line->received;
	const uint64_t last = line->sent < line->received ? line->received : line->sent;

	if (!t->messages)
		t->messages = malloc(HYB_VIEW_BATCH * sizeof(*t->messages));
	if (!t->messages)
		return -ENOMEM;
	if (!t->message_count || first < t->batch.first)
		t->batch.first = first;
	if (!t->message_count || last > t->batch.last)
		t->batch.last = last;
	if (!t->message_count || line->from < t->batch.from[0])
		t->batch.from[0] = line->from;
	if (!t->message_count || line->from > t->batch.from[1])
		t->batch.from[1] = line->from;
	t->messages[t->message_count++] = *line;
	return t->message_count == HYB_VIEW_BATCH ? hyb_collect_write_lines(t) : 0;
}

static int receive(struct hyb_collect_track *t, const struct hyb_merge_event *e)
{
	const struct hyb_view_message line = {
		.sent = (uint64_t)hyb_ns_sub(e->message.other_begin, t->sink->m->start),
		.received = t->last,
		.from = e->message.other_track,
		.to = (uint32_t)t->own.track.index,
		.comm = e->message.comm,
		.tag = e->message.tag,
		.bytes = e->message.bytes,
	};

	return e->message.number ? add_line(t, &line) : 0;
}

/* From when the one began whose coming this member waited for to where it is over here. */
static int complete(struct hyb_collect_track *t, const struct hyb_merge_event *e)
{
	const struct hyb_view_message line = {
		.sent = (uint64_t)hyb_ns_sub(e->collective.given, t->sink->m->start),
		.received = t->last,
		.from = e->collective.giver,
		.to = (uint32_t)t->own.track.index,
		.comm = e->collective.comm,
		.tag = HYB_VIEW_COLLECTIVE_TAG,
		.bytes = e->collective.received,
	};

	if (!e->collective.number || e->collective.alone || e->collective.given == INT64_MIN || line.from == line.to)
		return 0;
	return add_line(t, &line);
}

int hyb_collect_line(struct hyb_collect_track *t, const struct hyb_merge_event *e)
{
	switch (e->kind) {
	case HYB_KIND_RECV:
	case HYB_KIND_IRECV:
		return receive(t, e);
	case HYB_KIND_COLLECTIVE_END:
	case HYB_KIND_COLLECTIVE_COMPLETE:
		return complete(t, e);
	default:
		return 0;
	}
}
