/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The readings' part of pairs.h: one adds each half with the time when it was begun, the last one looks up what was
 * found. Both meet the same events in the same order, so that an event's number among those of its track names it.
 * When a request was begun is known until it completes; where another thread completes it that is read first, it waits
 * until all threads of the process are read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge/convert.h"
#include "reader/containers/array.h"

#define BATCH 512 /* halves of a kind that are added at once */

static void flush(struct hyb_convert *c, enum hyb_pair_kind kind)
{
	struct hyb_pairing *p = &c->pairing;
	int ret = p->count[kind] ? hyb_pairs_add(&c->m->pairs, kind, p->batch[kind], p->count[kind]) : 0;

	p->count[kind] = 0;
	if (ret)
		c->err = ret;
}

static void add(struct hyb_convert *c, enum hyb_pair_kind kind, const struct hyb_pair_half *half)
{
	struct hyb_pairing *p = &c->pairing;

	p->batch[kind][p->count[kind]++] = *half;
	if (p->count[kind] == BATCH)
		flush(c, kind);
}

/* Its request was begun in a thread that is not read yet, or before recording. */
static void add_late(struct hyb_convert *c, enum hyb_pair_kind kind, const struct hyb_pair_half *half, uint64_t request)
{
	struct hyb_pairing *p = &c->pairing;
	struct hyb_late_half *grown;

	grown = hyb_array_room(p->late, &p->late_room, p->late_count, sizeof(*grown));
	if (!grown) {
		c->err = -ENOMEM;
		return;
	}
	p->late = grown;
	p->late[p->late_count++] = (struct hyb_late_half){ .kind = kind, .request = request, .half = *half };
}

/* 0: it blocks, and was begun when the call was. */
static void add_half(struct hyb_convert *c, enum hyb_pair_kind kind, struct hyb_pair_half *half, uint64_t request,
		     int64_t end)
{
	half->track = (uint32_t)(c->p->first_track + (size_t)(c->t - c->p->threads));
	half->index = c->pairing.index;
	half->begin = c->depth ? c->stack[c->depth - 1].time : c->now;
	half->end = end;
	if (request && !hyb_key_map_take(&c->pairing.begun, request, &half->begin))
		add_late(c, kind, half, request);
	else
		add(c, kind, half);
}

void hyb_convert_begun(struct hyb_convert *c, uint64_t request)
{
	int64_t time = c->depth ? c->stack[c->depth - 1].time : c->now;

	if (c->pass == HYB_PASS_PAIR && hyb_key_map_put(&c->pairing.begun, request, time))
		c->err = -ENOMEM;
}

void hyb_convert_not_begun(struct hyb_convert *c, uint64_t request)
{
	int64_t time;

	if (c->pass == HYB_PASS_PAIR)
		hyb_key_map_take(&c->pairing.begun, request, &time);
}

/* What is known of the present event, in the last reading; NULL: nothing. */
static const struct hyb_pair_found *find(struct hyb_convert *c)
{
	return c->out ? hyb_pairs_next(&c->pairing.reader, c->pairing.index) : NULL;
}

void hyb_convert_pair_message(struct hyb_convert *c, enum hyb_half half, const struct hyb_message *key, uint64_t request,
			      struct hyb_merge_event *e)
{
	struct hyb_pair_half own = {
		.comm = key->comm, .source = key->source, .destination = key->destination, .tag = key->tag,
	};
	const struct hyb_pair_found *other = find(c);

	if (c->pass == HYB_PASS_PAIR && half == HYB_HALF_SEND)
		add_half(c, HYB_PAIR_SEND, &own, 0, e->time);
	else if (c->pass == HYB_PASS_PAIR)
		add_half(c, HYB_PAIR_RECEIVE, &own, request, e->time);
	if (other) {
		e->message.number = other->number;
		e->message.other_begin = other->begin;
		e->message.other_end = other->end;
		e->message.other_track = other->other;
	}
	c->pairing.index++;
}

/* Of MPI_COMM_SELF all is the call's own. */
static void pair_alone(const struct hyb_convert *c, struct hyb_merge_event *e)
{
	e->collective.alone = true;
	e->collective.given = INT64_MIN;
	e->collective.first_begin = e->collective.last_begin = c->depth ? c->stack[c->depth - 1].time : c->now;
	e->collective.last_end = e->time;
}

/* What that call of an operation that is over has to do with others' times: as MPI says, and only if data flows. */
static uint32_t flow_of(const struct hyb_convert *c, const struct hyb_ids_comm *comm, const struct hyb_merge_event *e)
{
	uint32_t gives = e->collective.sent ? HYB_PAIR_GIVES : 0, takes = e->collective.received ? HYB_PAIR_TAKES : 0;
	int32_t root = e->collective.root;
	bool is_root = root >= 0 && comm->peers->members[root] == c->p->group;

	if (!hyb_coll_has_data(e->collective.op))
		return HYB_PAIR_COMES;
	if (comm->inter)
		return 0;
	switch (e->collective.op) {
	case HYB_COLL_BARRIER:
		return HYB_PAIR_GIVES | HYB_PAIR_TAKES;
	case HYB_COLL_ALLREDUCE:
	case HYB_COLL_ALLGATHER:
	case HYB_COLL_ALLGATHERV:
	case HYB_COLL_ALLTOALL:
	case HYB_COLL_REDUCE_SCATTER:
	case HYB_COLL_REDUCE_SCATTER_BLOCK:
		return gives | takes;
	case HYB_COLL_BCAST:
	case HYB_COLL_SCATTER:
	case HYB_COLL_SCATTERV:
		return is_root ? gives : takes;
	case HYB_COLL_REDUCE:
	case HYB_COLL_GATHER:
	case HYB_COLL_GATHERV:
		return is_root ? takes : gives;
	default:
		return 0;
	}
}

void hyb_convert_pair_call(struct hyb_convert *c, const struct hyb_ids_comm *comm, uint64_t request, bool over,
			   struct hyb_merge_event *e)
{
	struct hyb_pair_half own = { .comm = comm->index, .source = c->p->group, .destination = c->p->group };
	const struct hyb_pair_found *found = find(c);

	if (comm->self) {
		pair_alone(c, e);
	} else if (c->pass == HYB_PASS_PAIR) {
		own.flow = over ? flow_of(c, comm, e) : 0;
		add_half(c, HYB_PAIR_CALL, &own, request, e->time);
	}
	if (found) {
		e->collective.number = found->number;
		e->collective.first_begin = found->begin;
		e->collective.last_begin = found->end;
		e->collective.last_end = found->last_end;
		e->collective.given = found->given;
		e->collective.giver = found->other;
	}
	c->pairing.index++;
}

void hyb_convert_begin_halves(struct hyb_convert *c)
{
	c->pairing.index = 0;
	if (c->out)
		hyb_pairs_read(&c->m->pairs, c->p->first_track + (size_t)(c->t - c->p->threads), &c->pairing.reader);
}

int hyb_convert_end_halves(struct hyb_convert *c)
{
	struct hyb_pairing *p = &c->pairing;
	size_t i;

	for (i = 0; i < p->late_count && !c->err; i++) {
		hyb_key_map_take(&p->begun, p->late[i].request, &p->late[i].half.begin);
		add(c, p->late[i].kind, &p->late[i].half);
	}
	for (int kind = 0; kind < HYB_PAIR_KINDS; kind++)
		flush(c, kind);
	return c->err;
}

int hyb_convert_new_halves(struct hyb_convert *c)
{
	if (c->pass != HYB_PASS_PAIR)
		return 0;
	for (int kind = 0; kind < HYB_PAIR_KINDS; kind++) {
		c->pairing.batch[kind] = malloc(BATCH * sizeof(struct hyb_pair_half));
		if (!c->pairing.batch[kind])
			return -ENOMEM;
	}
	return 0;
}

void hyb_convert_free_halves(struct hyb_convert *c)
{
	for (int kind = 0; kind < HYB_PAIR_KINDS; kind++)
		free(c->pairing.batch[kind]);
	free(c->pairing.late);
	hyb_key_map_free(&c->pairing.begun);
}
