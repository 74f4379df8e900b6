/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Profiles are read into memory and finished there. The copy is good if the thread did not begin to change the tree
 * between two looks at it, which it does for some microseconds when a chunk is full. Nothing in the file is believed
 * before it is checked: what is made later refers to what was made before, so that no list runs in a circle.
 */
#include "reader/streams/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/calltree/digest.h"
#include "reader/streams/chunk.h"
#include "reader/streams/file.h"
#include "reader/streams/stream.h"

#define PROFILE_MAX (UINT64_C(1) << 40) /* a file larger than this is none */
#define TRIES 200			/* for the thread to come to an end of what it adds */
#define LONGEST (UINT64_C(1) << 58)	/* ticks, or ns: years on any machine */

struct reading {
	struct hyb_reader *stream;
	struct hyb_thread_profile *to;
	struct hyb_chunk_header *chunk; /* the one being written, with its words; chunk->seq 0: there is none */
	int fd;				/* of the profile, -1: there is none */
	uint64_t size;
	const char *path;
	const struct hyb_defs *defs;
};

static uint64_t cells_in(uint64_t size)
{
	return (size - HYB_PROFILE_HEADER_SIZE) / HYB_PROFILE_CELL;
}

static int grow(struct hyb_profile *p, uint64_t cells)
{
	uint64_t room = p->header ? p->header->state.room : 0;
	size_t size = (size_t)(HYB_PROFILE_HEADER_SIZE + cells * HYB_PROFILE_CELL);
	char *grown;

	if (cells > UINT32_MAX)
		return -EFBIG;
	grown = realloc(p->header, size);
	if (!grown)
		return -ENOMEM;
	if (!p->header)
		memset(grown, 0, HYB_PROFILE_HEADER_SIZE);
	memset(grown + HYB_PROFILE_HEADER_SIZE + room * HYB_PROFILE_CELL, 0, (size_t)(cells - room) * HYB_PROFILE_CELL);
	p->header = (void *)grown;
	p->header->state.room = cells;
	return 0;
}

static uint32_t library_at(const struct hyb_profile *p, uint64_t address, uint64_t now)
{
	const uint64_t object = hyb_defs_library_of(p->libraries, address, now);

	/* More have no room in a site. */
	return object >> (64 - HYB_PROFILE_OBJECT_SHIFT) ? 0 : (uint32_t)object;
}

static void begin_tree(const struct reading *r, struct hyb_profile *p)
{
	p->grow = grow;
	p->library = r->defs ? library_at : NULL;
	p->libraries = r->defs;
}

/* The whole file, as it is now. */
static int read_file(struct reading *r)
{
	struct hyb_profile *p = &r->to->tree;
	int64_t n;
	int err;

	free(p->header);
	p->header = NULL;
	begin_tree(r, p);
	err = grow(p, cells_in(r->size));
	if (err)
		return err;
	n = hyb_chunk_pread(r->fd, p->header, r->size, 0);
	if (n < 0)
		return (int)n;
	if ((uint64_t)n < r->size || memcmp(p->header->magic, HYB_PROFILE_MAGIC, sizeof(p->header->magic)))
		return -EBADMSG;
	if (p->header->byte_order != HYB_BYTE_ORDER || p->header->format_major != HYB_PROFILE_MAJOR)
		return -EPROTONOSUPPORT;
	/* It may have been given more meanwhile. */
	if (p->header->state.room > cells_in(r->size))
		return -EAGAIN;
	p->header->state.room = cells_in(r->size);
	return 0;
}

/* The chunk that is being written. */
static int read_chunk(struct reading *r)
{
	const struct hyb_file_header *h = &r->stream->header;
	int64_t n;
	int err = hyb_chunk_refresh(r->stream);

	if (err)
		return err;
	r->chunk->seq = 0;
	if (!h->newest_seq)
		return 0;
	n = hyb_chunk_pread(r->stream->fd, r->chunk, h->chunk_size,
			    h->header_size + (h->newest_seq - 1) % h->slots * h->chunk_size);
	if (n < 0)
		return (int)n;
	if ((uint64_t)n < sizeof(*r->chunk) || r->chunk->magic != HYB_CHUNK_MAGIC || r->chunk->seq != h->newest_seq)
		return -EAGAIN;
	if (r->chunk->used > ((uint64_t)n - sizeof(*r->chunk)) / sizeof(uint64_t))
		return -EBADMSG;
	return 0;
}

/* Whether the thread has changed nothing since the copy was made. */
static bool is_unchanged(const struct reading *r)
{
	const struct hyb_profile_state *s = &r->to->tree.header->state;
	struct hyb_profile_header now;

	return hyb_chunk_pread(r->fd, &now, sizeof(now), 0) == (int64_t)sizeof(now) && now.state.turn == s->turn &&
	       now.state.seq == s->seq && now.state.done == s->done;
}

/* 0: all of it fits together; -EAGAIN: it is being changed; -errno. */
static int read_once(struct reading *r)
{
	const struct hyb_profile_state *s;
	int err = read_file(r);

	if (!err)
		err = read_chunk(r);
	if (err)
		return err;
	s = &r->to->tree.header->state;
	r->to->torn = s->turn & 1;
	if (!is_unchanged(r) || (r->chunk->seq != s->seq && r->chunk->seq != s->seq + 1))
		return -EAGAIN;
	return r->to->torn ? -EBUSY : 0;
}

/* Of a file that is cut short, whole cells. */
static void look_at_size(struct reading *r)
{
	off_t size = lseek(r->fd, 0, SEEK_END);

	if (size > HYB_PROFILE_HEADER_SIZE)
		r->size = HYB_PROFILE_HEADER_SIZE + cells_in((uint64_t)size) * HYB_PROFILE_CELL;
}

static int read_whole(struct reading *r)
{
	const struct timespec wait = { .tv_nsec = 1000000 };
	int err = -EAGAIN;

	for (int i = 0; i < TRIES && (err == -EAGAIN || err == -EBUSY); i++) {
		if (i)
			nanosleep(&wait, NULL);
		look_at_size(r);
		err = read_once(r);
	}
	/* Nobody goes on with it: the thread was killed in the middle of it. */
	return err == -EBUSY ? 0 : err == -EAGAIN ? -EBADMSG : err;
}

/* One whole chunk of the stream. */
static int add_chunk(struct reading *r, const struct hyb_chunk_found *found)
{
	const struct hyb_file_header *h = &r->stream->header;
	int64_t n;

	r->stream->seq = found->seq;
	if (found->causes)
		hyb_profile_gap(&r->to->tree);
	if (found->place == HYB_PLACE_NONE)
		return 0;
	n = hyb_chunk_pread(r->stream->fd, r->chunk, h->chunk_size, h->header_size + found->place * h->chunk_size);
	if (n < 0)
		return (int)n;
	if ((uint64_t)n < sizeof(*r->chunk) || r->chunk->magic != HYB_CHUNK_MAGIC || r->chunk->seq != found->seq ||
	    r->chunk->used > ((uint64_t)n - sizeof(*r->chunk)) / sizeof(uint64_t)) {
		hyb_profile_gap(&r->to->tree);
		return 0;
	}
	n = hyb_profile_digest(&r->to->tree, r->chunk, (const uint64_t *)(r->chunk + 1), r->chunk->used);
	if (n == -EBADMSG)
		hyb_profile_gap(&r->to->tree);
	return n == -EBADMSG ? 0 : (int)n;
}

/* Without a profile it is made now: of a thread that never had a full chunk, or from a trace. */
static int add_stream(struct reading *r)
{
	struct hyb_chunk_found found;
	int err;

	begin_tree(r, &r->to->tree);
	err = grow(&r->to->tree, HYB_PROFILE_FIRST);
	if (err)
		return err;
	hyb_profile_begin(&r->to->tree, r->stream->header.start_time);
	while (!err) {
		err = hyb_chunk_locate(r->stream, &found);
		if (err <= 0)
			break;
		err = add_chunk(r, &found);
	}
	r->chunk->seq = 0;
	return err;
}

static bool has(const struct hyb_profile *p, uint32_t cell, uint64_t words)
{
	const uint64_t each = HYB_PROFILE_CELL / sizeof(uint64_t);

	return cell && cell + (words + each - 1) / each <= p->header->state.cells;
}

/* Whether what refers to `to` was made after that, which is of `kind` as the map says; 0 is none. */
static bool refers(const uint8_t *map, uint8_t kind, uint32_t from, uint32_t to)
{
	return !to || (to < from && map[to] == kind);
}

enum { NODE = 1, PARTNER, OTHER, BODY };

/* Marks where something begins, and the rest of it: no two things have a cell in common. */
static bool claim(const struct hyb_profile *p, uint8_t *map, uint32_t cell, uint64_t words, uint8_t kind)
{
	const uint64_t each = HYB_PROFILE_CELL / sizeof(uint64_t);

	if (!has(p, cell, words))
		return false;
	for (uint64_t i = 0; i < (words + each - 1) / each; i++) {
		if (map[cell + i])
			return false;
		map[cell + i] = i ? BODY : kind;
	}
	return true;
}

static bool check_table(const struct hyb_profile *p, const struct hyb_profile_table *t, uint8_t *map, uint8_t kind)
{
	const uint32_t *lists = hyb_profile_cell(p, t->cell);

	if (!t->size || t->size & (t->size - 1) || !claim(p, map, t->cell, (uint64_t)t->size / 2, OTHER))
		return false;
	for (uint32_t i = 0; i < t->size; i++)
		if (lists[i] >= p->header->state.cells || (lists[i] && map[lists[i]] != kind))
			return false;
	return true;
}

/* Marks all of a kind, which are found one from the other; `words` is how large one is. */
static bool mark_all(const struct hyb_profile *p, uint32_t last, size_t before, uint64_t words, uint8_t *map,
		     uint8_t kind)
{
	while (last) {
		uint32_t next;

		if (!claim(p, map, last, words, kind))
			return false;
		memcpy(&next, (const char *)hyb_profile_cell(p, last) + before, sizeof(next));
		if (next >= last)
			return false;
		last = next;
	}
	return true;
}

static bool check_nodes(const struct hyb_profile *p, uint8_t *map)
{
	const struct hyb_profile_state *s = &p->header->state;
	const struct hyb_profile_node *n;

	for (uint32_t at = s->nodes.last; at; at = n->before) {
		n = hyb_profile_node(p, at);
		if ((n->parent == 0) != (at == s->root) || !refers(map, NODE, at, n->parent) ||
		    !refers(map, NODE, at, n->next) || n->child >= s->cells || (n->child && map[n->child] != NODE) ||
		    n->partner >= s->cells || (n->partner && map[n->partner] != PARTNER) ||
		    n->metric_count > s->metrics || (n->metric_count && !claim(p, map, n->metrics, n->metric_count, OTHER)))
			return false;
	}
	return s->root < s->cells && map[s->root] == NODE;
}

static bool check_partners(const struct hyb_profile *p, const uint8_t *map)
{
	const struct hyb_profile_partner *x;

	for (uint32_t at = p->header->state.partners.last; at; at = x->before) {
		x = hyb_profile_cell(p, at);
		if (x->node >= p->header->state.cells || map[x->node] != NODE || !refers(map, PARTNER, at, x->next))
			return false;
	}
	return true;
}

static bool check_sets(const struct hyb_profile *p, uint8_t *map)
{
	const struct hyb_profile_state *s = &p->header->state;
	const struct hyb_profile_set *set;
	uint64_t all = 0;

	for (uint32_t at = s->sets; at; at = set->before) {
		if (!claim(p, map, at, 1, OTHER))
			return false;
		set = hyb_profile_cell(p, at);
		if (set->before >= at || !claim(p, map, set->values, set->count, OTHER) ||
		    !claim(p, map, set->previous, set->count, OTHER) ||
		    (uint64_t)set->first + set->count > s->metrics)
			return false;
		all += set->count;
	}
	return all == s->metrics;
}

/* Outwards from the innermost one, then those that are kept inside of it. */
static bool check_frames(const struct hyb_profile *p, uint8_t *map)
{
	const struct hyb_profile_state *s = &p->header->state;
	const struct hyb_profile_frame *f;
	uint32_t outer, at;

	for (at = s->frame, outer = UINT32_MAX; at; outer = at, at = f->outer) {
		if (at >= outer || !claim(p, map, at, 1, OTHER))
			return false;
		f = hyb_profile_frame(p, at);
		if (f->node >= s->cells || map[f->node] != NODE || f->metric_count > f->metric_room ||
		    (f->metric_room && !claim(p, map, f->metrics, f->metric_room, OTHER)))
			return false;
	}
	if (outer == UINT32_MAX)
		return false;
	for (at = hyb_profile_frame(p, s->frame)->inner; at; at = f->inner) {
		if (!claim(p, map, at, 1, OTHER))
			return false;
		f = hyb_profile_frame(p, at);
		if (f->outer >= at || (f->inner && f->inner <= at) || f->metric_count > f->metric_room ||
		    (f->metric_room && !claim(p, map, f->metrics, f->metric_room, OTHER)))
			return false;
	}
	return true;
}

static int check(const struct hyb_profile *p)
{
	const struct hyb_profile_state *s = &p->header->state;
	uint8_t *map;
	bool ok;

	if (s->cells > s->room || s->cells < 2)
		return -EBADMSG;
	/* What is given out later is to be zero. */
	memset(hyb_profile_cell(p, (uint32_t)s->cells), 0, (s->room - s->cells) * HYB_PROFILE_CELL);
	map = calloc(s->cells, 1);
	if (!map)
		return -ENOMEM;
	ok = claim(p, map, s->sites, HYB_PROFILE_SITES, OTHER) &&
	     mark_all(p, s->nodes.last, offsetof(struct hyb_profile_node, before),
		      sizeof(struct hyb_profile_node) / sizeof(uint64_t), map, NODE) &&
	     mark_all(p, s->partners.last, offsetof(struct hyb_profile_partner, before),
		      sizeof(struct hyb_profile_partner) / sizeof(uint64_t), map, PARTNER) &&
	     check_table(p, &s->nodes, map, NODE) && check_table(p, &s->partners, map, PARTNER) &&
	     check_nodes(p, map) && check_partners(p, map) && check_sets(p, map) && check_frames(p, map);
	free(map);
	return ok ? 0 : -EBADMSG;
}

/*
 * Whether all times may be true: none is longer than the thread, but for the call that was counted twice when it was
 * killed. The kernel's are nanoseconds.
 */
static bool check_times(const struct hyb_thread_profile *to)
{
	const struct hyb_profile_node *n;
	uint64_t lasted = to->end - to->begin;

	if (to->end < to->begin || lasted > LONGEST)
		return false;
	for (uint32_t at = hyb_thread_profile_next(to, 0); at; at = hyb_thread_profile_next(to, at)) {
		n = hyb_profile_node(&to->tree, at);
		if (n->inclusive > (hyb_profile_is_kernel(n->region) ? LONGEST : 2 * lasted))
			return false;
	}
	return true;
}

/* What the chunk has that is not in the tree, and the end. */
static int finish(struct reading *r)
{
	const struct hyb_file_header *h = &r->stream->header;
	struct hyb_thread_profile *to = r->to;
	struct hyb_profile_state *s;
	int err = 0;

	if (r->chunk->seq)
		err = hyb_profile_digest(&to->tree, r->chunk, (const uint64_t *)(r->chunk + 1), r->chunk->used);
	/* The rest of a damaged chunk is left out. */
	if (err == -EBADMSG)
		hyb_profile_gap(&to->tree);
	else if (err)
		return err;
	s = &to->tree.header->state;
	to->closed = h->state == HYB_STREAM_CLOSED;
	to->begin = to->tree.header->start_time;
	to->end = to->closed && h->end_time > s->last ? h->end_time : s->last;
	to->open = hyb_profile_end(&to->tree, to->end);
	memcpy(to->name, h->name, sizeof(to->name) - 1);
	return check_times(to) ? 0 : -EBADMSG;
}

/* thread-0.prof beside thread-0.hyb. -1: there is none; otherwise what hyb_file_open says. */
static int open_profile(const char *path, uid_t owner)
{
	size_t stem = strlen(path) - strlen(".hyb");
	char *name = malloc(stem + sizeof(".prof"));
	int fd;

	if (!name)
		return -ENOMEM;
	memcpy(name, path, stem);
	strcpy(name + stem, ".prof");
	fd = hyb_file_open(name, owner, PROFILE_MAX);
	free(name);
	return fd;
}

static int read_stream(struct reading *r, uid_t owner)
{
	int err;

	r->chunk = calloc(1, r->stream->header.chunk_size);
	r->to = calloc(1, sizeof(*r->to));
	if (!r->chunk || !r->to)
		return -ENOMEM;
	r->fd = open_profile(r->path, owner);
	if (r->fd < 0 && r->fd != -ENOENT)
		return r->fd;
	if (r->fd >= 0) {
		err = read_whole(r);
		close(r->fd);
	} else {
		err = add_stream(r);
	}
	if (!err && r->fd >= 0)
		err = check(&r->to->tree);
	return err ? err : finish(r);
}

static bool is_stream(const char *path)
{
	size_t length = strlen(path);

	return length > 4 && !strcmp(path + length - 4, ".hyb");
}

int hyb_thread_profile_read(const char *path, uid_t owner, const struct hyb_defs *defs, const struct hyb_diag *diag,
			    struct hyb_thread_profile **profile)
{
	struct reading r = { .path = path, .defs = defs, .fd = -1 };
	int err;

	if (!is_stream(path))
		return -EINVAL;
	err = hyb_reader_open(path, owner, diag, &r.stream);
	if (err)
		return err;
	err = read_stream(&r, owner);
	free(r.chunk);
	hyb_reader_close(r.stream);
	if (err) {
		hyb_thread_profile_free(r.to);
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: its profile cannot be read: %s", path,
			     err == -EBADMSG ? "it is damaged" : hyb_file_error(err));
		return err;
	}
	*profile = r.to;
	return 0;
}

const struct hyb_object *hyb_thread_profile_object(const struct hyb_profile_node *node, const struct hyb_defs *defs)
{
	const uint64_t address = node->site & HYB_PROFILE_ADDRESS, object = node->site >> HYB_PROFILE_OBJECT_SHIFT;

	if (!address)
		return NULL;
	return object ? hyb_defs_object(defs, object) : hyb_defs_object_of(defs, address - 1, 0);
}

void hyb_thread_profile_free(struct hyb_thread_profile *profile)
{
	if (!profile)
		return;
	free(profile->tree.header);
	free(profile);
}
