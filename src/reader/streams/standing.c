/* SPDX-License-Identifier: BSD-3-Clause */
/* Where threads stand; see standing.h, and format/standing.h for what is read here. */
#include "reader/streams/standing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/streams/chunk.h"

/* Words of a last group, and what stands after it: a COLL_WIDE at most, before the word that the others begin with. */
#define MOST (2 * HYB_GROUP_MAX + HYB_STANDING_AFTER_POLL + 3 + HYB_STANDING_WORDS)

/* What the last timed record says of the call, and where what belongs to it begins; 0: it is not such a record. */
static uint64_t *take_last(const struct hyb_reader *r, uint64_t *words, struct hyb_standing *s)
{
	uint32_t type = words[0] >> HYB_TYPE_SHIFT;
	uint32_t head = hyb_record_words(words[0]);
	struct hyb_event event = { .type = type, .head = head, .count = r->last_words, .words = words,
				   .requests = r->requests };
	struct hyb_attached a;

	/* A thread that has ended may have asked last and gone on without. */
	if (type == HYB_POLL && head >= 2 && head <= r->last_words && !hyb_reader_closed(r)) {
		words += r->last_words + HYB_STANDING_AFTER_POLL;
		s->polls = true;
		s->region = words[-1] & HYB_ID_MASK;
		return words;
	}
	if (type != HYB_ENTER)
		return NULL;
	s->region = words[0] >> HYB_ID_SHIFT & HYB_ID_MASK;
	for (uint32_t pos = 0; hyb_attached_next(&event, &pos, &a);) {
		/* Then it has come back, and is about to become a CALL. */
		if (a.type != HYB_SEND && a.type != HYB_BEGAN && a.type != HYB_SITE && a.type != HYB_STACK)
			return NULL;
		if (a.type != HYB_SEND || s->sends)
			continue;
		s->sends = true;
		s->send = a;
		/* They are the reader's memory only for now. */
		s->send.words = NULL;
		s->send.count = 0;
	}
	return s->region < HYB_STANDING_REGIONS ? words + r->last_words : NULL;
}

static void take_message(const uint64_t *w, enum hyb_waits waits, struct hyb_standing *s)
{
	s->waits = waits;
	s->handle = w[0];
	s->comm = HYB_NO_COMM;
	s->tag = (int32_t)(w[1] >> 32);
	s->peer = (int32_t)w[1];
}

static bool take_coll(const struct hyb_attached *a, struct hyb_standing *s)
{
	s->waits = HYB_WAITS_COLL;
	s->comm = a->comm;
	s->peer = a->peer;
	s->sent = a->bytes;
	s->received = a->received;
	return true;
}

/* A record as it would be attached; false where it makes no sense. */
static bool take_record(const uint64_t *w, uint32_t count, struct hyb_standing *s)
{
	uint32_t words = hyb_record_words(w[0]);
	struct hyb_event event = { .count = words, .words = w };
	struct hyb_attached a;
	uint32_t pos = 0;

	if (!words || words > count || !hyb_attached_next(&event, &pos, &a))
		return false;
	switch (a.type) {
	case HYB_COLL:
		return take_coll(&a, s);
	case HYB_RMA:
		s->waits = HYB_WAITS_WIN;
		return hyb_rma_decode_standing(&a, &s->rma);
	case HYB_IO:
		s->waits = HYB_WAITS_FILE;
		s->file = w[1];
		s->io_what = w[0] >> 32 & 0xff;
		s->io_flags = (uint32_t)w[0];
		return words >= 2;
	}
	return false;
}

static void take_requests(const uint64_t *w, struct hyb_standing *s)
{
	s->waits = HYB_WAITS_REQUESTS;
	s->request_count = (uint32_t)(w[0] >> 32);
	s->listed = (uint32_t)w[0];
}

/* A collective operation's record comes before the word that the others begin with. False where there is none. */
static bool take_standing(const uint64_t *w, const uint64_t *end, struct hyb_standing *s)
{
	const uint64_t *record = w;
	uint32_t type = *w >> HYB_TYPE_SHIFT;

	if (type == HYB_COLL || type == HYB_COLL_WIDE)
		w += hyb_record_words(*w);
	if (w >= end || *w >> HYB_TYPE_SHIFT != HYB_STANDING)
		return false;
	s->site = *w & HYB_STANDING_SITE_MASK;
	if (w != record)
		return take_record(record, (uint32_t)(w - record), s);
	switch ((enum hyb_standing_form)(*w >> HYB_STANDING_FORM_SHIFT & 0xff)) {
	case HYB_STAND_CALL:
		return true;
	case HYB_STAND_SEND:
		take_message(w + 1, HYB_WAITS_SEND, s);
		return w + 3 <= end;
	case HYB_STAND_RECV:
		take_message(w + 1, HYB_WAITS_RECV, s);
		return w + 3 <= end;
	case HYB_STAND_RECORD:
		return take_record(w + 1, (uint32_t)(end - w - 1), s);
	case HYB_STAND_REQUESTS:
		take_requests(w + 1, s);
		return w + 2 <= end;
	}
	/* Of a newer format. */
	return true;
}

/* What requests there are is listed from that word of the chunk on. 1, 0 where that makes no sense, or -errno. */
static int read_awaited(struct hyb_reader *r, uint64_t at, struct hyb_standing *s)
{
	const size_t one = HYB_STANDING_REQUEST_WORDS;
	uint64_t *w;
	int ret;

	if (!s->listed)
		return 1;
	if (at > r->capacity || s->listed > (r->capacity - at) / one)
		return 0;
	w = malloc(s->listed * one * sizeof(*w));
	s->awaited = calloc(s->listed, sizeof(*s->awaited));
	ret = w && s->awaited ? hyb_chunk_beyond(r, at, w, s->listed * one) : -ENOMEM;
	if (ret >= 0)
		ret = (size_t)ret == s->listed * one;
	for (uint32_t i = 0; ret > 0 && i < s->listed; i++) {
		s->awaited[i] = (struct hyb_awaited){
			.kind = (enum hyb_request_kind)(w[i * one + 1] & 0xff),
			.request = w[i * one],
			.comm = (uint32_t)(w[i * one + 1] >> 32),
			.peer = (int32_t)w[i * one + 2],
			.tag = (int32_t)(w[i * one + 2] >> 32),
		};
	}
	free(w);
	return ret;
}

/* The same as before stands there: while it was read the call has not come back. */
static int is_unchanged(struct hyb_reader *r, const uint64_t *words, int count)
{
	uint64_t again[MOST];
	int ret = hyb_chunk_beyond(r, r->last_word, again, MOST);

	return ret < 0 ? ret : ret == count && !memcmp(words, again, (size_t)count * sizeof(*words));
}

static int read_standing(struct hyb_reader *r, struct hyb_standing *s)
{
	uint64_t words[MOST] = { 0 };
	const uint64_t *from;
	int count = hyb_chunk_beyond(r, r->last_word, words, MOST);
	int ret;

	if (count <= 0)
		return count;
	s->time = r->last;
	from = take_last(r, words, s);
	if (!from || from >= words + count)
		return 0;
	if (!take_standing(from, words + count, s)) {
		/* What it sends is published. */
		s->waits = HYB_WAITS_UNTOLD;
		s->listed = 0;
		return s->sends;
	}
	ret = read_awaited(r, r->last_word + (uint64_t)(from + 2 - words), s);
	return ret > 0 ? is_unchanged(r, words, count) : ret;
}

int hyb_standing_read(struct hyb_reader *r, struct hyb_standing *s)
{
	int ret = 0;

	memset(s, 0, sizeof(*s));
	if (r->in_chunk && r->last_words && r->last_word + r->last_words == r->used &&
	    r->last_words <= 2 * HYB_GROUP_MAX && r->header.format_minor >= 1 && r->header.kind == HYB_STREAM_THREAD)
		ret = read_standing(r, s);
	if (ret <= 0) {
		hyb_standing_free(s);
		return ret;
	}
	if (s->waits == HYB_WAITS_UNTOLD && s->sends) {
		s->waits = HYB_WAITS_SEND;
		s->comm = s->send.comm;
		s->peer = s->send.peer;
		s->tag = s->send.tag;
	}
	return 1;
}

void hyb_standing_free(struct hyb_standing *s)
{
	free(s->awaited);
	memset(s, 0, sizeof(*s));
}

static int32_t source_of(const struct hyb_defs *d, int32_t source)
{
	if (source >= 0)
		return source;
	return d && d->has_mpi && source == d->mpi.any_source ? HYB_ANY : HYB_NO_PEER;
}

static int32_t tag_of(const struct hyb_defs *d, int32_t tag)
{
	return d && d->has_mpi && tag == d->mpi.any_tag ? HYB_ANY : tag;
}

void hyb_standing_translate(const struct hyb_defs *d, struct hyb_standing *s)
{
	if (s->handle) {
		const struct hyb_comm *comm = d ? hyb_defs_comm_of(d, s->handle) : NULL;

		s->comm = comm ? (uint32_t)comm->id : HYB_NO_COMM;
		s->peer = source_of(d, s->peer);
		if (s->waits == HYB_WAITS_RECV)
			s->tag = tag_of(d, s->tag);
		s->handle = 0;
	}
	for (uint32_t i = 0; i < s->listed; i++) {
		struct hyb_awaited *a = &s->awaited[i];

		if (a->kind != HYB_REQUEST_OF_RECV)
			continue;
		a->peer = source_of(d, a->peer);
		a->tag = tag_of(d, a->tag);
	}
	if (s->waits == HYB_WAITS_WIN && s->rma.target != -1 && d && d->has_mpi && s->rma.target == d->mpi.proc_null)
		s->rma.target = HYB_NO_PEER;
}
