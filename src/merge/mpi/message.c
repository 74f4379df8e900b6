/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes messages, blocking or not, see convert.h. */
#include <errno.h>

#include "merge/convert.h"
#include "reader/containers/numbers.h"

bool hyb_convert_paired(struct hyb_convert *c, uint64_t request)
{
	if (c->pass == HYB_PASS_COUNT && hyb_numbers_toggle(&c->s->unpaired, request))
		c->err = -ENOMEM;
	return !hyb_numbers_has(&c->s->unpaired, request);
}

/* One whose begin or end is missing is written as if it had been a blocking one. */
static void write_message(struct hyb_convert *c, enum hyb_half half, bool paired, const struct hyb_message *key,
			  const struct hyb_ids_comm *comm, const struct hyb_attached *a)
{
	bool request = a->request && paired;
	struct hyb_merge_event e;

	if (half == HYB_HALF_SEND)
		hyb_convert_now(c, &e, request ? HYB_KIND_ISEND : HYB_KIND_SEND);
	else
		hyb_convert_now(c, &e, request ? HYB_KIND_IRECV : HYB_KIND_RECV);
	e.message.comm = comm->id;
	e.message.peer = (uint32_t)a->peer;
	e.message.tag = (uint32_t)a->tag;
	e.message.partitioned = a->partitioned;
	e.message.bytes = a->bytes;
	e.message.request = request ? a->request : 0;
	e.message.number = 0;
	e.message.other_begin = e.message.other_end = 0;
	e.message.other_track = UINT32_MAX;
	if (c->pairs)
		hyb_convert_pair_message(c, half, key, e.message.request, &e);
	hyb_convert_tell(c, &e);
}

static void write_request(struct hyb_convert *c, enum hyb_kind kind, uint64_t request)
{
	struct hyb_merge_event e;

	hyb_convert_now(c, &e, kind);
	e.request = request;
	hyb_convert_tell(c, &e);
}

/* The message as the matching knows it; false where it has no place in the model. */
static bool message_key(struct hyb_convert *c, enum hyb_half half, const struct hyb_attached *a,
			const struct hyb_ids_comm **comm, struct hyb_message *key)
{
	uint32_t own = c->p->group, other;

	*comm = hyb_ids_comm(&c->ids, a->comm);
	if (!*comm || !c->p->ranked || !hyb_convert_in_mpi(c) || a->peer < 0 ||
	    (uint32_t)a->peer >= ((*comm)->self ? 1 : (*comm)->peers->count)) {
		c->counts.unplaced++;
		return false;
	}
	other = (*comm)->self ? own : (*comm)->peers->members[a->peer];
	key->comm = (*comm)->index | (a->partitioned ? HYB_MATCH_PARTITIONED : 0);
	key->source = half == HYB_HALF_SEND ? own : other;
	key->destination = half == HYB_HALF_SEND ? other : own;
	key->tag = (uint32_t)a->tag;
	return true;
}

/* A half that has no other: of a receive that began, that it was cancelled is what can be said. */
static int leave_out(struct hyb_convert *c, enum hyb_half half, bool paired, uint64_t request)
{
	if (!request || !paired)
		return 0;
	if (half == HYB_HALF_SEND)
		return hyb_numbers_add(&c->s->left_out, request);
	write_request(c, HYB_KIND_REQUEST_CANCELLED, request);
	return 0;
}

/* The rank of a member in what records name ranks of. */
static int32_t rank_of(const struct hyb_ids_comm *comm, uint32_t member)
{
	uint32_t i;

	for (i = 0; !comm->self && i < comm->peers->count; i++)
		if (comm->peers->members[i] == member)
			return (int32_t)i;
	return 0;
}

/* Of a receive of which MPI told nothing: what it was, once that is known. False where nobody knows of whom it was. */
static bool find_told(struct hyb_convert *c, struct hyb_attached *a)
{
	const struct hyb_ids_comm *comm = hyb_ids_comm(&c->ids, a->comm);
	const struct hyb_unreported_found *f = hyb_unreported_find(&c->m->match.unreported, c->p->group, a->request);

	if (!f)
		c->counts.unreported++;
	if (!f || !comm)
		return a->peer != HYB_ANY && a->tag != HYB_ANY;
	a->peer = rank_of(comm, f->source);
	a->tag = (int32_t)f->tag;
	a->bytes = f->bytes;
	return true;
}

/* One that did not name all, while it is read for the first times. */
static void on_unnamed(struct hyb_convert *c, const struct hyb_attached *a)
{
	const struct hyb_unreported_half half = { .request = a->request, .unreported = true };
	struct hyb_attached named = *a;
	const struct hyb_ids_comm *comm;
	struct hyb_message key;
	int ret = 0;

	named.peer = a->peer == HYB_ANY ? 0 : a->peer;
	if (!message_key(c, HYB_HALF_RECV, &named, &comm, &key))
		return;
	if (a->peer == HYB_ANY)
		key.source = HYB_UNREPORTED_ANY;
	if (c->pass == HYB_PASS_TAGS) {
		ret = hyb_unreported_add(&c->match->unreported, HYB_HALF_RECV, &key, &half);
	} else {
		hyb_convert_paired(c, a->request);
		c->s->unreported = true;
		key.source = HYB_UNREPORTED_ANY;
		ret = hyb_match_unreported(c->match, &key);
	}
	if (ret)
		c->err = ret;
}

/* Counts one whose pair is known. */
static int count_message(struct hyb_convert *c, enum hyb_half half, const struct hyb_message *key,
			 const struct hyb_attached *a)
{
	int ret = hyb_match_message(c->match, half, key, hyb_convert_cuts(c));

	c->s->unreported |= a->unreported;
	return !ret && a->unreported ? hyb_match_unreported(c->match, key) : ret;
}

static int count_tag(struct hyb_convert *c, enum hyb_half half, const struct hyb_message *key,
		     const struct hyb_attached *a)
{
	bool blocks = half == HYB_HALF_RECV && !a->request;
	const struct hyb_unreported_half what = {
		.time = blocks ? c->stack[c->depth - 1].time : (int64_t)c->now,
		.bytes = a->bytes,
		.request = half == HYB_HALF_RECV ? a->request : 0,
		.unreported = a->unreported,
	};
	int ret = hyb_match_tag(c->match, &c->m->match, half, key, hyb_convert_cuts(c));

	if (!ret && hyb_match_is_unreported(&c->m->match, key))
		ret = hyb_unreported_add(&c->match->unreported, half, key, &what);
	return ret;
}

static void on_message(struct hyb_convert *c, enum hyb_half half, const struct hyb_attached *a)
{
	bool cancelled = half == HYB_HALF_SEND && a->request &&
			 hyb_numbers_has(&c->s->cancelled, a->request);
	const struct hyb_ids_comm *comm;
	struct hyb_message key;
	bool paired;
	int ret = 0;

	if (a->peer < 0 || !message_key(c, half, a, &comm, &key))
		return;
	paired = !a->request || hyb_convert_paired(c, a->request);
	if (c->pass == HYB_PASS_COUNT)
		ret = count_message(c, half, &key, a);
	else if (cancelled)
		return;
	else if (c->pass == HYB_PASS_TAGS)
		ret = count_tag(c, half, &key, a);
	else if (!hyb_match_keep_message(&c->m->match, half, &key))
		ret = leave_out(c, half, paired, a->request);
	else if (c->pass >= HYB_PASS_PAIR)
		write_message(c, half, paired, &key, comm, a);
	if (ret)
		c->err = ret;
}

/* A receive of which MPI told nothing. */
static void on_unreported(struct hyb_convert *c, const struct hyb_attached *a)
{
	struct hyb_attached told = *a;

	if (c->pass > HYB_PASS_TAGS && find_told(c, &told))
		on_message(c, HYB_HALF_RECV, &told);
	else if (c->pass > HYB_PASS_TAGS)
		leave_out(c, HYB_HALF_RECV, hyb_convert_paired(c, a->request), a->request);
	else if (a->peer == HYB_ANY || a->tag == HYB_ANY)
		on_unnamed(c, a);
	else
		on_message(c, HYB_HALF_RECV, a);
}

/* Found out after the send was counted; by the next reading it is known. */
static void on_send_cancelled(struct hyb_convert *c, const struct hyb_attached *a)
{
	const struct hyb_ids_comm *comm;
	struct hyb_message key;
	int ret;

	if (c->pass != HYB_PASS_COUNT || !message_key(c, HYB_HALF_SEND, a, &comm, &key))
		return;
	hyb_convert_paired(c, a->request);
	c->counts.cancelled++;
	ret = hyb_match_take_back(c->match, HYB_HALF_SEND, &key);
	if (!ret)
		ret = hyb_numbers_add(&c->s->cancelled, a->request);
	if (ret)
		c->err = ret;
}

static void on_request(struct hyb_convert *c, const struct hyb_attached *a)
{
	bool tested = a->type == HYB_REQUEST_TESTED;
	bool paired;

	if (a->type == HYB_REQUEST_CANCELLED)
		c->counts.cancelled++;
	if (!c->p->ranked || !hyb_convert_in_mpi(c))
		return;
	if (c->pass == HYB_PASS_TAGS && c->s->unreported && a->type == HYB_REQUEST_RECV &&
	    hyb_begun_note(&c->ts->receives, a->request, c->now))
		c->err = -ENOMEM;
	paired = tested ? !hyb_numbers_has(&c->s->unpaired, a->request) :
			  hyb_convert_paired(c, a->request);
	if (a->type == HYB_REQUEST_RECV && paired)
		hyb_convert_begun(c, a->request);
	else if (a->type == HYB_REQUEST_CANCELLED)
		hyb_convert_not_begun(c, a->request);
	if (!c->out || !paired)
		return;
	switch (a->type) {
	case HYB_REQUEST_SENT:
		if (!hyb_numbers_has(&c->s->left_out, a->request))
			write_request(c, HYB_KIND_ISEND_COMPLETE, a->request);
		break;
	case HYB_REQUEST_RECV:
		write_request(c, HYB_KIND_IRECV_REQUEST, a->request);
		break;
	case HYB_REQUEST_TESTED:
		/* of a send that is left out nothing may be left */
		if (!hyb_numbers_has(&c->s->left_out, a->request) &&
		    !hyb_numbers_has(&c->s->cancelled, a->request))
			write_request(c, HYB_KIND_REQUEST_TEST, a->request);
		break;
	case HYB_REQUEST_CANCELLED:
		write_request(c, HYB_KIND_REQUEST_CANCELLED, a->request);
		break;
	}
}

void hyb_convert_message(struct hyb_convert *c, const struct hyb_attached *a)
{
	switch (a->type) {
	case HYB_SEND:
		on_message(c, HYB_HALF_SEND, a);
		break;
	case HYB_RECV:
		if (__builtin_expect(a->unreported, 0))
			on_unreported(c, a);
		else
			on_message(c, HYB_HALF_RECV, a);
		break;
	case HYB_SEND_CANCELLED:
		on_send_cancelled(c, a);
		break;
	default:
		on_request(c, a);
		break;
	}
}
