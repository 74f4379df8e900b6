/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stream reader: records to events, times, gaps. Opening is open.c's, finding and copying chunks
 * chunk.c's.
 */
#include <errno.h>
#include <string.h>

#include "reader/streams/chunk.h"
#include "reader/streams/stream.h"

#define EPOCH_BITS (64 - HYB_TIME_BITS)

enum parsed {
	PARSED_EVENT,
	PARSED_SKIPPED, /* a record that is no event */
	PARSED_SHORT,	/* the window ends within the record or its attached ones */
	PARSED_DAMAGED,
};

/* Adds to what is missing before the next event. */
static void add_gap(struct hyb_reader *r, uint32_t causes, uint64_t chunks, uint64_t records)
{
	if (!r->gap.causes)
		r->gap.from = r->last ? r->last : r->header.start_time;
	r->gap.causes |= causes;
	r->gap.chunks += chunks;
	r->gap.records += records;
}

static void say_damage(struct hyb_reader *r, uint64_t seq, const char *what)
{
	if (r->said_damage)
		return;
	r->said_damage = true;
	hyb_diag_say(
		r->diag, HYB_SEV_WARNING,
		"%s: chunk %llu is %s at word %llu: skipped, the rest is read; further damage is "
		"only counted",
		r->path, (unsigned long long)seq, what, (unsigned long long)(r->base + r->at));
}

/* Gives the current chunk up from here on. */
static void leave_damaged(struct hyb_reader *r, const char *what)
{
	say_damage(r, r->seq, what);
	add_gap(r, HYB_GAP_CORRUPT, 1, 0);
	r->stats.corrupt_chunks++;
	r->in_chunk = false;
	r->at = 0;
	r->have = 0;
}

/* Of each type once in the life of the program: a later version may write it into each of a thousand streams. */
static void __attribute__((cold)) unknown_record(struct hyb_reader *r, uint32_t type)
{
	static uint64_t said[4]; /* a bit for each type; orders nothing else */
	const uint64_t bit = UINT64_C(1) << type % 64;

	r->stats.unknown_records++;
	if (__atomic_fetch_or(&said[type / 64 % 4], bit, __ATOMIC_RELAXED) & bit)
		return;
	hyb_diag_say(r->diag, HYB_SEV_NOTE,
		     "%s: has records of a type that this hybmon does not know (0x%02x): they are left out, here and in "
		     "other streams; a newer hybmon reads them",
		     r->path, type);
}

/* One definition, in place. */
static enum parsed parse_def(struct hyb_reader *r, struct hyb_event *e, uint64_t word, size_t end)
{
	uint32_t type = word >> HYB_TYPE_SHIFT;

	if (end > r->have)
		return r->base + r->have < r->used ? PARSED_SHORT : PARSED_DAMAGED;
	e->type = type;
	e->head = (uint32_t)(end - r->at);
	e->count = e->head;
	e->id = word & HYB_TIME_MASK;
	e->time = 0;
	e->words = r->buf + r->at;
	e->word = (uint32_t)(r->base + r->at);
	e->seq = r->seq;
	e->requests = 0;
	e->gap = NULL;
	r->at = end;
	if (!(type & 0x80)) {
		unknown_record(r, type);
		return PARSED_SKIPPED;
	}
	r->stats.events++;
	return PARSED_EVENT;
}

/* A word of bytes. */
static enum parsed parse_bytes(struct hyb_reader *r, struct hyb_event *e)
{
	memset(e, 0, sizeof(*e));
	e->type = HYB_EVENT_BYTES;
	e->head = 1;
	e->count = 1;
	e->words = r->buf + r->at;
	e->word = (uint32_t)(r->base + r->at);
	e->seq = r->seq;
	r->at++;
	r->stats.events++;
	return PARSED_EVENT;
}

/* What the record is: sets e->id of an event, takes in an epoch, leaves out what is not known. */
static inline enum parsed take_id(struct hyb_reader *r, struct hyb_event *e)
{
	const uint64_t word = e->words[0];

	switch (e->type) {
	case HYB_ENTER:
	case HYB_LEAVE:
	case HYB_MARK:
	case HYB_MORE:
	case HYB_POINT:
		e->id = (word >> HYB_ID_SHIFT) & HYB_ID_MASK;
		break;
	case HYB_ENTER_WIDE:
	case HYB_LEAVE_WIDE:
		e->type = e->type == HYB_ENTER_WIDE ? HYB_ENTER : HYB_LEAVE;
		e->id = e->words[1];
		break;
	case HYB_POLL:
		if (e->head <= sizeof(struct hyb_poll) / sizeof(uint64_t)) {
			r->at -= e->count;
			return PARSED_DAMAGED;
		}
		e->id = e->words[1];
		break;
	case HYB_KERNEL:
	case HYB_METRIC:
	case HYB_KERNEL_SUMS:
		if (e->head < 2) {
			r->at -= e->count;
			return PARSED_DAMAGED;
		}
		e->id = e->type == HYB_METRIC ? (uint32_t)e->words[1] : e->words[1] >> HYB_TYPE_SHIFT;
		if (e->type == HYB_KERNEL_SUMS)
			e->id = 0;
		break;
	case HYB_EPOCH:
		if ((word & HYB_TIME_MASK) >> EPOCH_BITS) {
			r->at -= e->count;
			return PARSED_DAMAGED;
		}
		r->epoch = word << HYB_TIME_BITS;
		return PARSED_SKIPPED;
	default:
		unknown_record(r, e->type);
		return PARSED_SKIPPED;
	}
	return PARSED_EVENT;
}

/* Behind the words of a CALL's Enter, its site and its sends; the rest up to `end` is its Leave's. */
static size_t end_of_sends(const struct hyb_reader *r, size_t at, size_t end)
{
	bool send = false;

	while (at < end && (r->buf[at] >> HYB_TYPE_SHIFT == HYB_SITE || r->buf[at] >> HYB_TYPE_SHIFT == HYB_STACK))
		at++;
	while (at < end) {
		uint32_t type = r->buf[at] >> HYB_TYPE_SHIFT;

		if (type == HYB_SEND || type == HYB_SEND_WIDE || type == HYB_SEND_SHORT)
			send = true;
		else if (!send || (type != HYB_REQUEST && type != HYB_PARTITIONED))
			break;
		at += hyb_record_words(r->buf[at]);
	}
	return at;
}

/*
 * The Enter of a CALL that ends at `end`; its Leave comes with the next event. Both are put where they would stand, the
 * Leave when nobody needs the last word of the Enter any more.
 */
static enum parsed parse_call(struct hyb_reader *r, struct hyb_event *e, uint64_t word, size_t end)
{
	uint64_t base = r->last > r->first_time ? r->last : r->first_time;
	uint64_t id = word >> HYB_CALL_ID_SHIFT & HYB_CALL_ID_MASK;
	uint64_t begin = base + (uint64_t)(int64_t)(int32_t)((uint32_t)word - (uint32_t)base);
	size_t sends = end_of_sends(r, r->at + 1, end);

	if (begin < r->last) {
		begin = r->last;
		r->stats.clamped++;
	}
	r->call_end = begin + (word >> HYB_CALL_SPAN_SHIFT & HYB_CALL_SPAN_MASK);
	/* Only in a damaged stream. */
	if (r->call_end < begin)
		r->call_end = begin;
	r->call_leave = (uint64_t)HYB_LEAVE << HYB_TYPE_SHIFT | id << HYB_ID_SHIFT | (r->call_end & HYB_TIME_MASK);
	r->call_at = sends - 1;
	r->call_count = (uint32_t)(end - r->call_at);
	r->in_call = true;
	r->buf[r->at] = (uint64_t)HYB_ENTER << HYB_TYPE_SHIFT | id << HYB_ID_SHIFT | (begin & HYB_TIME_MASK);
	e->type = HYB_ENTER;
	e->count = (uint32_t)(sends - r->at);
	e->id = id;
	e->time = begin;
	r->at = end;
	r->last = begin;
	r->stats.events++;
	return PARSED_EVENT;
}

static void leave_call(struct hyb_reader *r, struct hyb_event *e)
{
	r->in_call = false;
	r->buf[r->call_at] = r->call_leave;
	e->type = HYB_LEAVE;
	e->head = 1;
	e->count = r->call_count;
	e->id = r->call_leave >> HYB_ID_SHIFT & HYB_ID_MASK;
	e->time = r->call_end;
	e->words = r->buf + r->call_at;
	e->word = (uint32_t)(r->base + r->call_at);
	e->seq = r->seq;
	e->requests = r->requests;
	e->gap = NULL;
	r->last = r->call_end;
	r->stats.events++;
}

/*
 * A group that reaches to the end of the window, at `end`. It is whole if nothing more is published; but the writer may
 * have made a CALL of it since that was looked up, and published before what belongs to its Leave. An Enter may become
 * a CALL yet: see tell_tail.
 */
static enum parsed __attribute__((cold)) parse_last(struct hyb_reader *r, uint32_t type, size_t end)
{
	uint64_t word;

	if (r->base + r->have < r->used)
		return PARSED_SHORT;
	if (end > r->have)
		return PARSED_DAMAGED;
	/* It may have become a CALL since it was copied, or just then: hyb_chunk_word. What is attached may be its Leave's. */
	if ((type == HYB_CALL || type == HYB_ENTER) && !r->settled && hyb_chunk_word(r, r->base + r->at, &word) > 0 &&
	    word != r->buf[r->at]) {
		r->buf[r->at] = word;
		return PARSED_SKIPPED;
	}
	if (type == HYB_CALL && r->looked != r->used + 1) {
		r->looked = r->used + 1;
		if (hyb_chunk_look(r) > 0)
			return PARSED_SHORT;
	}
	r->last_word = r->base + r->at;
	r->last_words = (uint32_t)(end - r->at);
	if (type != HYB_ENTER)
		return PARSED_EVENT;
	r->tail = true;
	r->tail_word = r->base + r->at;
	return PARSED_EVENT;
}

/*
 * The record at r->at with its attached ones, as an event in place. A group that reaches to the end
 * of the window may go on behind it, unless nothing more is published.
 */
static inline enum parsed parse(struct hyb_reader *r, struct hyb_event *e)
{
	const uint64_t *w = r->buf + r->at;
	const uint64_t word = *w;
	const uint32_t type = word >> HYB_TYPE_SHIFT;
	const size_t head = hyb_record_words(word);
	size_t end = r->at + head;
	enum parsed ret;
	uint64_t time;

	if (__builtin_expect(r->bytes, 0))
		return parse_bytes(r, e);
	if (__builtin_expect(!type || !head, 0))
		return PARSED_DAMAGED;
	if (__builtin_expect(r->defs, 0))
		return parse_def(r, e, word, end);
	if (__builtin_expect(type & 0x80, 0))
		return PARSED_DAMAGED;
	while (end < r->have && (int64_t)r->buf[end] < 0) {
		size_t n = hyb_record_words(r->buf[end]);

		if (__builtin_expect(!n, 0))
			return PARSED_DAMAGED;
		end += n;
	}
	if (__builtin_expect(end >= r->have, 0)) {
		ret = parse_last(r, type, end);
		if (ret != PARSED_EVENT)
			return ret;
	}
	time = r->epoch | (word & HYB_TIME_MASK);
	e->type = type;
	e->head = (uint32_t)head;
	e->count = (uint32_t)(end - r->at);
	e->words = w;
	e->word = (uint32_t)(r->base + r->at);
	e->seq = r->seq;
	e->requests = r->requests;
	e->gap = NULL;
	if (type == HYB_CALL)
		return parse_call(r, e, word, end);
	r->at = end;
	ret = take_id(r, e);
	if (__builtin_expect(ret != PARSED_EVENT, 0))
		return ret;
	if (__builtin_expect(time < r->last, 0)) {
		time = r->last;
		r->stats.clamped++;
	}
	r->last = time;
	e->time = time;
	r->stats.events++;
	return PARSED_EVENT;
}

/* Hands the gap out as an event that ends at `to`. */
static void tell_gap(struct hyb_reader *r, uint64_t to, struct hyb_event *e)
{
	r->told = r->gap;
	memset(&r->gap, 0, sizeof(r->gap));
	if (to < r->last)
		to = r->last;
	if (to < r->told.from)
		to = r->told.from;
	r->told.to = to;
	if (!r->untimed)
		r->last = to;
	r->stats.lost_chunks += r->told.chunks;
	r->stats.lost_records += r->told.records;
	memset(e, 0, sizeof(*e));
	e->type = HYB_EVENT_GAP;
	e->time = to;
	e->seq = r->seq;
	e->word = (uint32_t)(r->base + r->at);
	e->gap = &r->told;
}

/*
 * The last group told was an Enter with nothing behind it. If that has become a CALL, its Leave is put into the window
 * in place of the word before r->at, with what belongs to it behind. ret: 1 if there are more words, 0 if not.
 */
static int tell_tail(struct hyb_reader *r, int ret)
{
	uint64_t word, id, end;
	int err = hyb_chunk_word(r, r->tail_word, &word);

	r->tail = err > 0;
	if (err <= 0)
		return err < 0 ? err : ret;
	id = word >> HYB_CALL_ID_SHIFT & HYB_CALL_ID_MASK;
	end = r->last + (word >> HYB_CALL_SPAN_SHIFT & HYB_CALL_SPAN_MASK);
	if (word >> HYB_TYPE_SHIFT == HYB_CALL) {
		r->tail = false;
		r->epoch = end >> HYB_TIME_BITS << HYB_TIME_BITS;
		r->buf[--r->at] = (uint64_t)HYB_LEAVE << HYB_TYPE_SHIFT | id << HYB_ID_SHIFT | (end & HYB_TIME_MASK);
		/* What is attached was published before. */
		if (!ret)
			hyb_chunk_look(r);
		return 1;
	}
	if (!ret)
		return 0;
	/* It is about to, or its writer died just then: what is attached is told without waiting for the Leave. */
	id = word >> HYB_ID_SHIFT & HYB_ID_MASK;
	r->tail = (int64_t)r->buf[r->at] < 0;
	if (r->tail)
		r->buf[--r->at] = (uint64_t)HYB_MORE << HYB_TYPE_SHIFT | id << HYB_ID_SHIFT |
				  (r->last & HYB_TIME_MASK);
	return 1;
}

void hyb_reader_thin(struct hyb_reader *reader, uint32_t samples, uint32_t words)
{
	reader->step = reader->header.newest_seq / samples + 1;
	reader->window = words;
}

static void leave_sample(struct hyb_reader *r)
{
	if (r->base + r->at < r->used)
		add_gap(r, HYB_GAP_SKIPPED, 0, 0);
	r->in_chunk = false;
	r->at = 0;
	r->have = 0;
}

/* To the next chunk of which a sample is read. */
static void step_over(struct hyb_reader *r)
{
	const uint64_t newest = r->header.newest_seq;
	uint64_t next = r->seq + r->step;

	if (!r->step || !r->seq || r->seq >= newest)
		return;
	next = next < newest ? next : newest;
	if (next > r->seq + 1)
		add_gap(r, HYB_GAP_SKIPPED, 0, 0);
	r->in_chunk = false;
	r->seq = next - 1;
}

/* More of the current chunk, which is left when it cannot be had: 1, 0 or -errno. */
static int more(struct hyb_reader *r)
{
	bool tail;
	int ret;

	if (!r->in_chunk)
		return 0;
	if (r->step && r->have) {
		leave_sample(r);
		return 0;
	}
	/* The word before stays in the window: its place is tell_tail's. */
	tail = r->tail && r->at == r->have;
	r->at -= tail;
	ret = hyb_chunk_fill(r);
	r->at += tail;
	if (tail && (ret == 0 || ret == 1))
		ret = tell_tail(r, ret);
	if (ret == -ESTALE) {
		add_gap(r, HYB_GAP_OVERWRITTEN, 1, 0);
		r->in_chunk = false;
		r->at = 0;
		r->have = 0;
		return 0;
	}
	if (ret == -EBADMSG) {
		leave_damaged(r, "cut short");
		return 0;
	}
	return ret;
}

/* What the writer could not write before this chunk, by its own count. */
static int count_lost(struct hyb_reader *r, uint64_t lost)
{
	int ret;

	if (lost <= r->lost_seen)
		return 0;
	if (lost > r->header.lost) {
		ret = hyb_chunk_refresh(r);
		if (ret < 0)
			return ret;
		/* The header is counted first, so what it does not know is damage. */
		if (lost > r->header.lost)
			lost = r->header.lost;
	}
	if (lost > r->lost_seen) {
		add_gap(r, HYB_GAP_NO_SPACE, 0, lost - r->lost_seen);
		r->lost_seen = lost;
	}
	return 0;
}

/* Makes the chunk found the current one. */
static int enter_chunk(struct hyb_reader *r, const struct hyb_chunk_found *found)
{
	uint64_t missing = found->seq - r->seq - (found->place != HYB_PLACE_NONE);

	if (r->unsure && !missing && found->header.before && found->header.before - 1 != r->used)
		add_gap(r, HYB_GAP_OVERWRITTEN, 1, 0);
	r->unsure = false;
	r->base = 0;
	r->at = 0;
	r->have = 0;
	r->in_chunk = false;
	r->tail = false;
	r->last_words = 0;
	r->looked = 0;
	if (missing) {
		if (found->causes & HYB_GAP_CORRUPT)
			say_damage(r, r->seq + 1, "damaged or missing");
		add_gap(r, found->causes, missing, 0);
	}
	r->seq = found->seq;
	/* Not whether it is closed by now: until it was, this chunk's place may have been taken again. */
	r->settled = found->final;
	if (found->place == HYB_PLACE_NONE)
		return 0;
	r->place = found->place;
	r->used = found->header.used;
	r->epoch = found->header.first_time >> HYB_TIME_BITS << HYB_TIME_BITS;
	r->first_time = found->header.first_time;
	r->requests = found->header.requests;
	r->stats.chunks++;
	if (r->used > r->capacity) {
		leave_damaged(r, "damaged (its length)");
		return 0;
	}
	r->in_chunk = true;
	return count_lost(r, found->header.lost);
}

/* Nothing more is published: 2 with the last gap, if there is one, or 0; -errno. */
static int at_end(struct hyb_reader *r, struct hyb_event *e)
{
	uint64_t to = r->last;
	int ret = count_lost(r, r->header.lost);

	if (ret < 0)
		return ret;
	if (!r->gap.causes)
		return 0;
	if (r->header.state == HYB_STREAM_CLOSED)
		to = r->header.end_time;
	else if (r->gap.causes & HYB_GAP_NO_SPACE)
		to = r->header.lost_last;
	tell_gap(r, to, e);
	return 2;
}

/*
 * Called where the window has no whole group left. 1: it has again; 2: *e is a gap; 0: the end of
 * what is published; -errno.
 */
static int advance(struct hyb_reader *r, struct hyb_event *e)
{
	struct hyb_chunk_found found;
	int ret;

	for (;;) {
		ret = more(r);
		if (!ret) {
			step_over(r);
			ret = hyb_chunk_locate(r, &found);
			if (!ret)
				return at_end(r, e);
			/*
			 * The writer was done with the current chunk when it began that one: look
			 * again.
			 */
			if (ret > 0)
				ret = more(r);
			if (!ret)
				ret = enter_chunk(r, &found);
		}
		if (ret < 0)
			return ret;
		if (ret > 0 && r->gap.causes) {
			tell_gap(r, r->first_time, e);
			return 2;
		}
		if (ret > 0)
			return 1;
	}
}

int hyb_reader_next(struct hyb_reader *r, struct hyb_event *event)
{
	int ret;

	if (r->in_call) {
		leave_call(r, event);
		return 1;
	}
	for (;;) {
		if (__builtin_expect(r->at < r->have, 1)) {
			switch (parse(r, event)) {
			case PARSED_EVENT:
				return 1;
			case PARSED_SKIPPED:
				continue;
			case PARSED_DAMAGED:
				leave_damaged(r, "damaged");
				break;
			case PARSED_SHORT:
				break;
			}
		}
		if (r->error)
			return r->error;
		ret = advance(r, event);
		if (ret < 0) {
			hyb_diag_say(r->diag, HYB_SEV_ERROR, "%s: cannot be read: %s", r->path,
				     strerror(-ret));
			r->error = ret;
			r->have = 0;
		} else if (ret != 1) {
			return ret / 2;
		}
	}
}

const struct hyb_file_header *hyb_reader_header(const struct hyb_reader *reader)
{
	return &reader->header;
}

const struct hyb_reader_stats *hyb_reader_stats(const struct hyb_reader *reader)
{
	return &reader->stats;
}
