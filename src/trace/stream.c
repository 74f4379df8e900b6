/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stream reader: opening, records to events, times, gaps. Finding and copying chunks is
 * chunk.c's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/chunk.h"
#include "trace/stream.h"

#define HEADER_MAX (1u << 20) /* a first chunk further off than this is damage */
#define EPOCH_BITS (64 - HYB_TIME_BITS)

enum parsed {
	PARSED_EVENT,
	PARSED_SKIPPED, /* a record that is no event */
	PARSED_SHORT,	/* the window ends within the record or its attached ones */
	PARSED_DAMAGED,
};

/* What is wrong with a header, or NULL; *err says how wrong. */
static const char *header_fault(const struct hyb_file_header *h, int *err)
{
	*err = -EINVAL;
	if (memcmp(h->magic, HYB_FILE_MAGIC, sizeof(h->magic)))
		return "is not a hybmon stream";
	if (h->byte_order != HYB_BYTE_ORDER) {
		*err = -EPROTONOSUPPORT;
		if (h->byte_order == __builtin_bswap32(HYB_BYTE_ORDER))
			return "has the other byte order: read it on a machine of that kind";
		return "has a damaged header (byte order)";
	}
	if (h->format_major != HYB_FORMAT_MAJOR) {
		*err = -EPROTONOSUPPORT;
		return h->format_major > HYB_FORMAT_MAJOR
			       ? "has a newer format than this program knows: use a newer hybmon"
			       : "has an older format than this program knows: use an older hybmon";
	}
	if (h->header_size < sizeof(*h) || h->header_size > HEADER_MAX || h->header_size % 8)
		return "has a damaged header (header size)";
	if (h->chunk_size < HYB_CHUNK_MIN || h->chunk_size > HYB_CHUNK_MAX || h->chunk_size % 8)
		return "has a damaged header (chunk size)";
	if (!h->slots || h->slots > UINT32_MAX)
		return "has a damaged header (slots)";
	if (h->kind < HYB_STREAM_DEFS || h->kind > HYB_STREAM_TASK)
		return "is of a kind this program does not know: use a newer hybmon";
	return NULL;
}

/* The writer fills the header in any order and stores `state` last. */
static bool header_unwritten(const struct hyb_file_header *h)
{
	static const char none[sizeof(h->magic)];

	return !h->state && (!memcmp(h->magic, none, sizeof(none)) ||
			     !memcmp(h->magic, HYB_FILE_MAGIC, sizeof(h->magic)));
}

static int read_header(struct hyb_reader *r)
{
	const char *fault;
	int64_t n = hyb_chunk_pread(r->fd, &r->header, sizeof(r->header), 0);
	int err;

	if (n < 0) {
		hyb_diag_say(r->diag, HYB_SEV_ERROR, "%s: cannot be read: %s", r->path,
			     strerror((int)-n));
		return (int)n;
	}
	if (!n || ((size_t)n == sizeof(r->header) && header_unwritten(&r->header))) {
		hyb_diag_say(r->diag, HYB_SEV_WARNING,
			     "%s: is empty: its writer ended before it recorded anything", r->path);
		return -ENODATA;
	}
	if ((size_t)n < sizeof(r->header)) {
		bool ours = n < 8 || !memcmp(r->header.magic, HYB_FILE_MAGIC, 8);

		hyb_diag_say(r->diag, HYB_SEV_ERROR, "%s: %s", r->path,
			     ours ? "is cut short within its header" : "is not a hybmon stream");
		return -EINVAL;
	}
	fault = header_fault(&r->header, &err);
	if (fault) {
		hyb_diag_say(r->diag, HYB_SEV_ERROR, "%s: %s", r->path, fault);
		return err;
	}
	return 0;
}

static int open_file(struct hyb_reader *r, const char *path)
{
	struct stat st;
	int err;

	r->path = strdup(path);
	if (!r->path)
		return -ENOMEM;
	r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (r->fd < 0 || fstat(r->fd, &st) < 0) {
		err = -errno;
		hyb_diag_say(r->diag, HYB_SEV_ERROR, "%s: cannot be read: %s", path,
			     strerror(-err));
		return err;
	}
	if (!S_ISREG(st.st_mode)) {
		hyb_diag_say(r->diag, HYB_SEV_ERROR, "%s: is not a hybmon stream", path);
		return -EINVAL;
	}
	return read_header(r);
}

int hyb_reader_open(const char *path, const struct hyb_diag *diag, struct hyb_reader **reader)
{
	struct hyb_reader *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->fd = -1;
	r->diag = diag;
	r->place = HYB_PLACE_NONE;
	err = open_file(r, path);
	if (err) {
		hyb_reader_close(r);
		return err;
	}
	r->defs = r->header.kind == HYB_STREAM_DEFS;
	r->capacity = (r->header.chunk_size - sizeof(struct hyb_chunk_header)) / 8;
	*reader = r;
	return 0;
}

void hyb_reader_close(struct hyb_reader *reader)
{
	if (!reader)
		return;
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->buf);
	free(reader->index);
	free(reader->path);
	free(reader);
}

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

static void __attribute__((cold)) unknown_record(struct hyb_reader *r, uint32_t type)
{
	r->stats.unknown_records++;
	if (r->said_unknown)
		return;
	r->said_unknown = true;
	hyb_diag_say(r->diag, HYB_SEV_NOTE,
		     "%s: has records of a type this program does not know (0x%02x): left out",
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
	e->gap = NULL;
	r->at = end;
	if (!(type & 0x80)) {
		unknown_record(r, type);
		return PARSED_SKIPPED;
	}
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
		if (e->head < 2) {
			r->at -= e->count;
			return PARSED_DAMAGED;
		}
		e->id = e->words[1] >> HYB_TYPE_SHIFT;
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

/* The Enter of a CALL; its Leave comes with the next event. */
static enum parsed parse_call(struct hyb_reader *r, struct hyb_event *e, uint64_t word)
{
	uint64_t base = r->last > r->first_time ? r->last : r->first_time;
	uint64_t id = word >> HYB_CALL_ID_SHIFT & HYB_CALL_ID_MASK;
	uint64_t begin = base + (uint64_t)(int64_t)(int32_t)((uint32_t)word - (uint32_t)base);

	if (begin < r->last) {
		begin = r->last;
		r->stats.clamped++;
	}
	r->call_end = begin + (word >> HYB_CALL_SPAN_SHIFT & HYB_CALL_SPAN_MASK);
	r->call[0] = (uint64_t)HYB_ENTER << HYB_TYPE_SHIFT | id << HYB_ID_SHIFT | (begin & HYB_TIME_MASK);
	r->call[1] = (uint64_t)HYB_LEAVE << HYB_TYPE_SHIFT | id << HYB_ID_SHIFT | (r->call_end & HYB_TIME_MASK);
	r->in_call = true;
	e->type = HYB_ENTER;
	e->head = 1;
	e->count = 1;
	e->id = id;
	e->time = begin;
	e->words = &r->call[0];
	r->last = begin;
	r->stats.events++;
	return PARSED_EVENT;
}

static void leave_call(struct hyb_reader *r, struct hyb_event *e)
{
	r->in_call = false;
	e->type = HYB_LEAVE;
	e->head = 1;
	e->count = 1;
	e->id = r->call[1] >> HYB_ID_SHIFT & HYB_ID_MASK;
	e->time = r->call_end;
	e->words = &r->call[1];
	e->word = (uint32_t)(r->base + r->at - 1);
	e->seq = r->seq;
	e->gap = NULL;
	r->last = r->call_end;
	r->stats.events++;
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
		if (r->base + r->have < r->used)
			return PARSED_SHORT;
		if (end > r->have)
			return PARSED_DAMAGED;
	}
	time = r->epoch | (word & HYB_TIME_MASK);
	e->type = type;
	e->head = (uint32_t)head;
	e->count = (uint32_t)(end - r->at);
	e->words = w;
	e->word = (uint32_t)(r->base + r->at);
	e->seq = r->seq;
	e->gap = NULL;
	r->at = end;
	if (type == HYB_CALL)
		return parse_call(r, e, word);
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
	if (!r->defs)
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

/* More of the current chunk, which is left when it cannot be had: 1, 0 or -errno. */
static int more(struct hyb_reader *r)
{
	int ret;

	if (!r->in_chunk)
		return 0;
	ret = hyb_chunk_fill(r);
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
	if (missing) {
		if (found->causes & HYB_GAP_CORRUPT)
			say_damage(r, r->seq + 1, "damaged or missing");
		add_gap(r, found->causes, missing, 0);
	}
	r->seq = found->seq;
	if (found->place == HYB_PLACE_NONE)
		return 0;
	r->place = found->place;
	r->used = found->header.used;
	r->epoch = found->header.first_time >> HYB_TIME_BITS << HYB_TIME_BITS;
	r->first_time = found->header.first_time;
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
