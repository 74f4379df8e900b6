/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding and copying the chunks of a stream that may be written, taken again, cut short or damaged
 * meanwhile. Nothing that comes from the file is believed before it is checked.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/streams/chunk.h"
#include "reader/containers/array.h"

#define PLACE_MAX (INT64_MAX / HYB_CHUNK_MAX - 2)
#define SEQ_MAX (UINT64_C(1) << 48) /* more chunks than any machine writes: damage */
#define TRIES 64 /* searches for a chunk before a writer that laps us is left alone */

int64_t hyb_chunk_pread(int fd, void *buf, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, (char *)buf + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	/*
	 * The next read must not be served from before this one: see the callers' order of reads.
	 */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return (int64_t)done;
}

/* Nothing of the stream changes any more: what is read from now on is as it was meant, at the first reading. */
static bool is_final(const struct hyb_reader *r)
{
	return r->header.state == HYB_STREAM_CLOSED;
}

int hyb_chunk_refresh(struct hyb_reader *r)
{
	struct hyb_file_header h;
	int64_t n = 0;

	if (!is_final(r))
		n = hyb_chunk_pread(r->fd, &h, sizeof(h), 0);
	if (n < 0)
		return (int)n;
	/*
	 * The fixed part was checked at opening and holds; what was written over it since does not.
	 */
	if ((size_t)n == sizeof(h))
		memcpy(&r->header.state, &h.state,
		       sizeof(h) - offsetof(struct hyb_file_header, state));
	if (r->header.newest_seq > SEQ_MAX)
		r->header.newest_seq = 0;
	return 0;
}

static uint64_t place_offset(const struct hyb_reader *r, uint64_t place)
{
	return r->header.header_size + place * r->header.chunk_size;
}

/* 1: *h is the header at that place, whatever it holds; 0: the file ends before; -errno. */
static int read_header(const struct hyb_reader *r, uint64_t place, struct hyb_chunk_header *h)
{
	int64_t n;

	if (place > PLACE_MAX)
		return 0;
	n = hyb_chunk_pread(r->fd, h, sizeof(*h), place_offset(r, place));
	if (n < 0)
		return (int)n;
	return (size_t)n == sizeof(*h);
}

static bool header_valid(const struct hyb_reader *r, const struct hyb_chunk_header *h)
{
	return h->magic == HYB_CHUNK_MAGIC && h->stream == r->header.stream && h->seq &&
	       h->seq <= SEQ_MAX;
}

/*
 * As read_header, but all of *h is of one chunk: a header that is copied while its slot is taken
 * again may be part old, part new. The writer sets seq to 0 before it changes the rest and to the
 * new one after it, so what was read between two reads of one seq is that chunk's. h->seq is 0
 * where the slot was taken meanwhile. What is published only grows; a number that is copied while
 * it does may have bytes of both, and then lies outside of what was read before and after it.
 */
static int read_whole(const struct hyb_reader *r, uint64_t place, struct hyb_chunk_header *h)
{
	struct hyb_chunk_header before, after;
	int ret;

	if (is_final(r))
		return read_header(r, place, h);
	ret = read_header(r, place, &before);
	if (ret > 0)
		ret = read_header(r, place, h);
	if (ret > 0)
		ret = read_header(r, place, &after);
	if (ret > 0 && before.seq != after.seq)
		h->seq = 0;
	else if (ret > 0 && (h->used < before.used || h->used > after.used))
		h->used = before.used;
	return ret;
}

static int by_seq(const void *a, const void *b)
{
	const struct hyb_chunk_entry *x = a, *y = b;

	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	/* Of two copies the one in a slot, which is whole. */
	return x->place < y->place ? -1 : x->place > y->place;
}

static int index_add(struct hyb_reader *r, uint64_t seq, uint64_t place)
{
	struct hyb_chunk_entry *index;

	index = hyb_array_room(r->index, &r->index_room, r->index_count, sizeof(*index));
	if (!index)
		return -ENOMEM;
	r->index = index;
	r->index[r->index_count++] = (struct hyb_chunk_entry){ seq, place };
	return 0;
}

/* The next place at or after `place` that is not in a hole of the file. */
static uint64_t skip_hole(const struct hyb_reader *r, uint64_t place)
{
	off_t data = lseek(r->fd, (off_t)place_offset(r, place), SEEK_DATA);
	uint64_t next;

	if (data < 0)
		return errno == ENXIO ? HYB_PLACE_NONE : place;
	if ((uint64_t)data < place_offset(r, place))
		return place;
	next = ((uint64_t)data - r->header.header_size) / r->header.chunk_size;
	return next > place ? next : place;
}

/*
 * Looks at all places for chunks with seq from..to, makes the sorted index of them, counts damage.
 */
static int search(struct hyb_reader *r, uint64_t from, uint64_t to)
{
	struct hyb_chunk_header h;
	struct stat st;
	uint64_t place, places = 0;
	int ret;

	r->index_count = 0;
	r->index_next = 0;
	if (fstat(r->fd, &st) < 0)
		return -errno;
	if ((uint64_t)st.st_size > r->header.header_size)
		places = ((uint64_t)st.st_size - r->header.header_size + r->header.chunk_size - 1) /
			 r->header.chunk_size;
	for (place = 0; place < places; place++) {
		ret = read_header(r, place, &h);
		if (ret > 0 && h.seq && !header_valid(r, &h))
			ret = read_whole(r, place, &h);
		if (ret < 0)
			return ret;
		if (!ret)
			break;
		if (header_valid(r, &h)) {
			ret = h.seq >= from && h.seq <= to ? index_add(r, h.seq, place) : 0;
			if (ret < 0)
				return ret;
		} else if (h.seq && place >= r->scanned) {
			r->stats.corrupt_chunks++;
			r->bad_headers++;
		} else if (!h.seq && !h.magic) {
			uint64_t next = skip_hole(r, place);

			if (next == HYB_PLACE_NONE)
				break;
			place = next > place ? next - 1 : place;
		}
	}
	if (place > r->scanned)
		r->scanned = place;
	if (r->index_count)
		qsort(r->index, r->index_count, sizeof(*r->index), by_seq);
	return 0;
}

/*
 * As read_whole, where the chunk may be being put away there at this moment: its header is there before the rest is.
 * The writer puts a chunk away first and takes its slot after that, so it is all there once it is not in its slot any
 * more. As long as it still is in the slot, *place becomes that.
 */
static int read_there(const struct hyb_reader *r, uint64_t seq, uint64_t *place, struct hyb_chunk_header *h)
{
	uint64_t slot = (seq - 1) % r->header.slots;
	struct hyb_chunk_header in_slot;
	int ret = read_whole(r, *place, h);

	if (ret <= 0 || *place < r->header.slots || !header_valid(r, h) || h->seq != seq)
		return ret;
	ret = read_whole(r, slot, &in_slot);
	if (ret > 0 && header_valid(r, &in_slot) && in_slot.seq == seq) {
		*place = slot;
		*h = in_slot;
		return 1;
	}
	return ret < 0 ? ret : read_whole(r, *place, h);
}

/*
 * 1: the index gave a chunk that is still there; 0: it has none, or is out of date and was dropped.
 */
static int try_index(struct hyb_reader *r, uint64_t want, struct hyb_chunk_found *found)
{
	while (r->index_next < r->index_count) {
		struct hyb_chunk_entry *e = &r->index[r->index_next];
		int ret;

		if (e->seq < want) {
			r->index_next++;
			continue;
		}
		ret = read_there(r, e->seq, &e->place, &found->header);
		if (ret < 0)
			return ret;
		if (ret && header_valid(r, &found->header) && found->header.seq == e->seq) {
			found->seq = e->seq;
			found->place = e->place;
			return 1;
		}
		break;
	}
	r->index_count = 0;
	r->index_next = 0;
	return 0;
}

/* Where a full chunk is copied before its slot is taken again; HYB_PLACE_NONE in a ring. */
static uint64_t away_place(const struct hyb_reader *r, uint64_t seq)
{
	uint64_t n = r->header.wrap ? (seq - 1) % r->header.wrap : seq - 1;

	return r->header.ring || n > PLACE_MAX ? HYB_PLACE_NONE : r->header.slots + n;
}

/*
 * 1: the chunk is where it belongs; 0: it is not; *newer is set where a newer one is in its slot.
 */
static int try_direct(struct hyb_reader *r, uint64_t seq, struct hyb_chunk_found *found,
		      bool *newer)
{
	/* In this order: the writer copies a chunk before it takes its slot, and may not have come to take it. */
	uint64_t places[2] = { (seq - 1) % r->header.slots, away_place(r, seq) };

	for (int i = 0; i < 2; i++) {
		int ret = is_final(r) ? read_whole(r, places[i], &found->header) :
					read_there(r, seq, &places[i], &found->header);

		if (ret < 0)
			return ret;
		if (!ret || !header_valid(r, &found->header))
			continue;
		if (found->header.seq == seq) {
			found->seq = seq;
			found->place = places[i];
			return 1;
		}
		if (!i && found->header.seq > seq)
			*newer = true;
	}
	return 0;
}

/*
 * Why the chunks are missing. A damaged header does not tell whose it was: it stands for one chunk
 * that is missing, once.
 */
static uint32_t missing_causes(struct hyb_reader *r, uint64_t missing)
{
	uint64_t bad = r->bad_headers < missing ? r->bad_headers : missing;

	if (!r->header.ring && !r->header.wrap)
		return HYB_GAP_CORRUPT;
	r->bad_headers -= bad;
	if (!bad)
		return HYB_GAP_OVERWRITTEN;
	return missing > bad ? HYB_GAP_OVERWRITTEN | HYB_GAP_CORRUPT : HYB_GAP_CORRUPT;
}

/* Whether the places must be searched although the guess found nothing. */
static bool worth_search(struct hyb_reader *r, uint64_t want, bool newer)
{
	uint64_t newest = r->header.newest_seq;

	if (newest >= want || newer)
		return true;
	if (newest == r->seq || r->scanned_seq == r->seq + 1)
		return false;
	/*
	 * newest_seq is behind what was read, so it is damaged and not to be believed: once for
	 * each seq.
	 */
	r->scanned_seq = r->seq + 1;
	return true;
}

int hyb_chunk_locate(struct hyb_reader *r, struct hyb_chunk_found *found)
{
	uint64_t want = r->seq + 1, newest = 0;
	bool newer = false;
	int ret;

	found->causes = 0;
	for (int tries = 0; tries < TRIES; tries++) {
		ret = hyb_chunk_refresh(r);
		if (ret < 0)
			return ret;
		newest = r->header.newest_seq;
		found->final = is_final(r);
		ret = try_direct(r, want, found, &newer);
		if (!ret)
			ret = try_index(r, want, found);
		if (ret > 0 && found->seq > want)
			found->causes = missing_causes(r, found->seq - want);
		if (ret)
			return ret;
		/* The writer has lapped us since the header was read: it says more now. */
		if (newest < want && newer && !tries)
			continue;
		if (!worth_search(r, want, newer))
			return 0;
		/*
		 * Chunks up to newest were all begun before this search, so one that it does not
		 * find is gone for good. Of later ones it may see a newer and miss an older: not
		 * taken here.
		 */
		ret = search(r, want, newest >= want ? newest : UINT64_MAX);
		if (ret < 0)
			return ret;
		if (!r->index_count)
			break;
	}
	if (r->index_count || newest < want)
		return 0;
	/* Whether the file became a ring meanwhile. */
	ret = hyb_chunk_refresh(r);
	if (ret < 0)
		return ret;
	found->seq = newest;
	found->place = HYB_PLACE_NONE;
	found->causes = missing_causes(r, newest - r->seq);
	return 1;
}

/* True where nothing was left to be published in the chunk when it was last looked at. */
static bool was_full(const struct hyb_reader *r)
{
	return r->capacity - r->used <= HYB_CHUNK_SLACK;
}

/*
 * The header of the current chunk: where it was or, when its slot was taken again, where it was put
 * away. 1; 0: the file ends before; -ESTALE: it is gone; other -errno.
 */
static int read_current(struct hyb_reader *r, struct hyb_chunk_header *h)
{
	int ret = read_whole(r, r->place, h);

	if (ret <= 0 || (header_valid(r, h) && h->seq == r->seq))
		return ret;
	ret = hyb_chunk_refresh(r);
	if (ret < 0)
		return ret;
	ret = read_whole(r, away_place(r, r->seq), h);
	if (ret < 0)
		return ret;
	if (!ret || !header_valid(r, h) || h->seq != r->seq || r->place == away_place(r, r->seq))
		return -ESTALE;
	r->place = away_place(r, r->seq);
	return 1;
}

int hyb_chunk_look(struct hyb_reader *r)
{
	struct hyb_chunk_header h;
	int ret;

	if (r->settled)
		return 0;
	ret = read_current(r, &h);
	if (!ret)
		return r->base + r->have ? 0 : -EBADMSG;
	/* If there was more in the end after all, the next chunk says so. */
	if (ret == -ESTALE) {
		r->unsure = was_full(r);
		return r->unsure ? 0 : -ESTALE;
	}
	if (ret < 0)
		return ret;
	if (h.used > r->capacity || h.used < r->used)
		return -EBADMSG;
	ret = h.used > r->used;
	r->used = h.used;
	return ret;
}

static int make_window(struct hyb_reader *r, size_t keep)
{
	uint64_t left = r->capacity - (r->base + r->at);
	size_t room = r->room;
	uint64_t *buf;

	if (r->at && keep)
		memmove(r->buf, r->buf + r->at, keep * sizeof(*r->buf));
	r->base += r->at;
	r->at = 0;
	r->have = keep;
	if (room && keep < room)
		return 0;
	/* A record larger than the window: it grows, up to what can be left in the chunk. */
	room = room ? 2 * room : r->window;
	if (room > r->capacity)
		room = r->capacity;
	if (room <= keep || !left)
		return -EBADMSG;
	buf = realloc(r->buf, room * sizeof(*buf));
	if (!buf)
		return -ENOMEM;
	r->buf = buf;
	r->room = room;
	return 0;
}

static int read_word(struct hyb_reader *r, uint64_t at, uint64_t *word)
{
	struct hyb_chunk_header h;
	uint64_t place;
	int64_t n;
	int ret;

	do {
		place = r->place;
		n = hyb_chunk_pread(r->fd, word, sizeof(*word), place_offset(r, place) + sizeof(h) + at * sizeof(*word));
		if (n < 0)
			return (int)n;
		/* It is this chunk's only if its place was not taken again by now. */
		ret = read_current(r, &h);
	} while (ret > 0 && r->place != place);
	if (ret < 0)
		return ret;
	return ret && n == sizeof(*word);
}

/*
 * Where the writer makes a CALL of an Enter while the kernel copies it, the copy may have some bytes of each. That was
 * seen once in some hundred million words: the type was a CALL's, all else the Enter's. So it is read until two readings
 * agree.
 */
int hyb_chunk_word(struct hyb_reader *r, uint64_t at, uint64_t *word)
{
	uint64_t again;
	int ret = read_word(r, at, &again);

	do
		*word = again;
	while (ret > 0 && !r->settled && (ret = read_word(r, at, &again)) > 0 && again != *word);
	return ret;
}

int hyb_chunk_beyond(struct hyb_reader *r, uint64_t at, uint64_t *words, size_t count)
{
	struct hyb_chunk_header h;
	uint64_t place;
	int64_t n;
	int ret;

	if (at >= r->capacity)
		return 0;
	if (count > r->capacity - at)
		count = r->capacity - at;
	do {
		place = r->place;
		n = hyb_chunk_pread(r->fd, words, count * sizeof(*words), place_offset(r, place) + sizeof(h) + at * sizeof(*words));
		if (n < 0)
			return (int)n;
		ret = read_current(r, &h);
	} while (ret > 0 && r->place != place);
	if (ret <= 0 || h.used != r->used)
		return ret < 0 ? ret : 0;
	return (int)(n / (int64_t)sizeof(*words));
}

int hyb_chunk_fill(struct hyb_reader *r)
{
	struct hyb_chunk_header h;
	uint64_t place;
	size_t want;
	int64_t n;
	int ret;

	if (r->base + r->have == r->used) {
		ret = hyb_chunk_look(r);
		if (ret <= 0)
			return ret;
	}
	ret = make_window(r, r->have - r->at);
	if (ret < 0)
		return ret;
	want = r->room - r->have;
	if (want > r->used - (r->base + r->have))
		want = r->used - (r->base + r->have);
	do {
		place = r->place;
		n = hyb_chunk_pread(r->fd, r->buf + r->have, want * 8,
				    place_offset(r, place) + sizeof(h) + (r->base + r->have) * 8);
		if (n < 0)
			return (int)n;
		/* What was copied is this chunk's only if its place was not taken again by now. */
		ret = r->settled ? 1 : read_current(r, &h);
		if (ret < 0)
			return ret;
	} while (r->place != place);
	r->have += (size_t)n / 8;
	r->stats.words += (size_t)n / 8;
	return ret && n / 8 ? 1 : -EBADMSG;
}
