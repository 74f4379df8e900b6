/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From records to the tree. The library runs this for each full chunk, readers for what a chunk has that is being
 * written: so both have one meaning of each record. It is the same as the merge's, but that nothing is looked up.
 */
#include "core/calltree/digest.h"

#include <errno.h>
#include <string.h>

#define SMALL HYB_GROUP_MAX	/* words of most groups */

/* An Enter or Leave with what is attached. */
struct group {
	const uint64_t *words;
	uint32_t head;
	uint32_t count;
};

static inline uint32_t words_of(uint64_t word)
{
	uint32_t size = word >> (HYB_TYPE_SHIFT + 5) & 3;

	return size == HYB_SIZE_VAR ? word >> HYB_ID_SHIFT & HYB_ID_MASK : size + 1;
}

static inline uint32_t type_of(uint64_t word)
{
	return (uint32_t)(word >> HYB_TYPE_SHIFT);
}

static uint64_t *sites(const struct hyb_profile *p)
{
	return hyb_profile_cell(p, p->header->state.sites);
}

/* The group's words in the stream, and those of the counters before it, are the region's. */
static inline void add_words(struct hyb_profile *p, struct hyb_profile_node *n, const struct group *g)
{
	n->words += g->count + p->header->state.pending;
	p->header->state.pending = 0;
}

/* From where the region is called this time: that is told where it is another place than the last time. */
static inline uint64_t site_of(struct hyb_profile *p, const struct group *g, uint64_t region, uint64_t now)
{
	uint64_t word = g->head < g->count ? g->words[g->head] : 0;
	uint64_t address = word & HYB_PROFILE_ADDRESS;

	if (region >= HYB_PROFILE_SITES)
		return 0;
	if (type_of(word) == HYB_SITE) {
		sites(p)[region] = address;
		if (p->library)
			sites(p)[region] |= (uint64_t)p->library(p, address - 1, now) << HYB_PROFILE_OBJECT_SHIFT;
	}
	return sites(p)[region];
}

static void add_sent(struct hyb_profile *p, struct hyb_profile_node *n, uint32_t comm, int32_t peer, uint64_t bytes)
{
	struct hyb_profile_partner *x = hyb_profile_partner(p, n, HYB_PROFILE_TO, comm, peer);

	n->sends++;
	n->sent += bytes;
	x->count++;
	x->sent += bytes;
}

static void add_received(struct hyb_profile *p, struct hyb_profile_node *n, uint32_t comm, int32_t peer, uint64_t bytes)
{
	struct hyb_profile_partner *x = hyb_profile_partner(p, n, HYB_PROFILE_FROM, comm, peer);

	n->receives++;
	n->received += bytes;
	x->count++;
	x->received += bytes;
}

static void add_collective(struct hyb_profile *p, struct hyb_profile_node *n, uint64_t word, uint64_t sent,
			   uint64_t received)
{
	struct hyb_profile_partner *x =
		hyb_profile_partner(p, n, HYB_PROFILE_WITH, word >> 32 & 0xffffff, (int32_t)word);

	n->collectives++;
	n->sent += sent;
	n->received += received;
	x->count++;
	x->sent += sent;
	x->received += received;
}

static void add_short(struct hyb_profile *p, struct hyb_profile_node *n, uint64_t w)
{
	uint32_t comm = w >> HYB_SHORT_COMM_SHIFT & (HYB_SHORT_COMMS - 1);
	int32_t peer = w >> HYB_SHORT_PEER_SHIFT & (HYB_SHORT_PEERS - 1);
	uint64_t bytes = (w & (HYB_SHORT_BYTES - 1)) << 3 * (w >> HYB_SHORT_SCALE_SHIFT & 3);

	if (type_of(w) == HYB_SEND_SHORT)
		add_sent(p, n, comm, peer, bytes);
	else
		add_received(p, n, comm, peer, bytes);
}

/* One attached record that begins at w. */
static void attached(struct hyb_profile *p, struct hyb_profile_node *n, const uint64_t *w)
{
	switch (type_of(*w)) {
	case HYB_SEND_SHORT:
	case HYB_RECV_SHORT:
		add_short(p, n, *w);
		break;
	case HYB_SEND:
		add_sent(p, n, *w >> 32 & 0xffffff, (int32_t)*w, (uint32_t)w[1]);
		break;
	case HYB_RECV:
		add_received(p, n, *w >> 32 & 0xffffff, (int32_t)*w, (uint32_t)w[1]);
		break;
	case HYB_SEND_WIDE:
		add_sent(p, n, (uint32_t)(w[1] >> 32), (int32_t)*w, w[2]);
		break;
	case HYB_RECV_WIDE:
		add_received(p, n, (uint32_t)(w[1] >> 32), (int32_t)*w, w[2] == HYB_BYTES_UNKNOWN ? 0 : w[2]);
		break;
	case HYB_COLL:
		add_collective(p, n, *w, w[1] >> 32, (uint32_t)w[1]);
		break;
	case HYB_COLL_WIDE:
		add_collective(p, n, *w, w[1], w[2]);
		break;
	case HYB_ERROR:
		n->errors += n->errors < UINT32_MAX;
		break;
	}
}

static inline void all_attached(struct hyb_profile *p, struct hyb_profile_node *n, const struct group *g)
{
	for (uint32_t at = g->head; at < g->count; at += words_of(g->words[at]))
		attached(p, n, g->words + at);
}

static inline uint32_t innermost(const struct hyb_profile *p)
{
	return hyb_profile_frame(p, p->header->state.frame)->node;
}

static void enter(struct hyb_profile *p, const struct group *g, uint64_t region, uint64_t now)
{
	struct hyb_profile_node *n = hyb_profile_child(p, innermost(p), region, site_of(p, g, region, now));

	hyb_profile_push(p, hyb_profile_number(p, n), now);
	add_words(p, n, g);
	all_attached(p, n, g);
}

static inline void call(struct hyb_profile *p, const struct group *g, uint64_t region, uint64_t begin, uint64_t ticks)
{
	struct hyb_profile_node *n = hyb_profile_child(p, innermost(p), region, site_of(p, g, region, begin));

	hyb_profile_add(p, n, 1, ticks);
	add_words(p, n, g);
	if (g->head < g->count)
		all_attached(p, n, g);
}

static void push_paused(struct hyb_profile *p, uint64_t now)
{
	struct hyb_profile_node *n = hyb_profile_child(p, innermost(p), HYB_PROFILE_PAUSED, 0);

	hyb_profile_push(p, hyb_profile_number(p, n), now);
}

/* What is open inside of it has ended, too, but for a pause: that goes on after it. */
static void leave(struct hyb_profile *p, const struct group *g, uint64_t region, uint64_t now)
{
	struct hyb_profile_state *s = &p->header->state;
	const struct hyb_profile_frame *f = hyb_profile_frame(p, s->frame);
	struct hyb_profile_node *n = hyb_profile_node(p, f->node);
	const bool paused = n->region == HYB_PROFILE_PAUSED;

	while (f->outer && n->region != region) {
		f = hyb_profile_frame(p, f->outer);
		n = hyb_profile_node(p, f->node);
	}
	if (!f->outer) {
		s->stray++;
		add_words(p, n, g);
		return;
	}
	while (hyb_profile_frame(p, s->frame) != f)
		hyb_profile_pop(p, now);
	hyb_profile_pop(p, now);
	add_words(p, n, g);
	all_attached(p, n, g);
	if (paused)
		push_paused(p, now);
}

static void end_all(struct hyb_profile *p, uint64_t now)
{
	while (hyb_profile_frame(p, p->header->state.frame)->outer)
		hyb_profile_pop(p, now);
}

void hyb_profile_gap(struct hyb_profile *p)
{
	end_all(p, p->header->state.last);
	p->header->state.gaps++;
}

static void mark(struct hyb_profile *p, uint64_t which, uint64_t now)
{
	const struct hyb_profile_node *n = hyb_profile_node(p, innermost(p));
	bool paused = n->region == HYB_PROFILE_PAUSED;

	if (which == HYB_MARK_OFF && !paused)
		push_paused(p, now);
	else if (which == HYB_MARK_ON && paused)
		hyb_profile_pop(p, now);
}

static void poll(struct hyb_profile *p, const struct group *g, uint64_t now)
{
	const struct hyb_poll *row = (const void *)(g->words + 1);
	struct hyb_profile_node *n = hyb_profile_child(p, innermost(p), row->region, site_of(p, g, row->region, now));

	hyb_profile_add(p, n, row->count, row->inside);
	add_words(p, n, g);
	all_attached(p, n, g);
}

/* The set that METRICs of this number belong to; a new one is made. */
static struct hyb_profile_set *set_of(struct hyb_profile *p, uint32_t id, uint32_t count)
{
	struct hyb_profile_state *s = &p->header->state;
	struct hyb_profile_set *set;
	uint32_t at;

	for (at = s->sets; at; at = set->before) {
		set = hyb_profile_cell(p, at);
		if (set->id == id)
			return set->count == count ? set : NULL;
	}
	at = hyb_profile_words(p, sizeof(*set) / sizeof(uint64_t));
	set = hyb_profile_cell(p, at);
	set->id = id;
	set->before = s->sets;
	set->count = count;
	set->first = s->metrics;
	set->values = hyb_profile_words(p, count);
	set->previous = hyb_profile_words(p, count);
	s->sets = at;
	s->metrics += count;
	return set;
}

/* The next difference in the packed bytes, which end at `end`. False where they end within it. */
static bool unpack(const uint8_t **at, const uint8_t *end, uint64_t *difference)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	for (;; shift += 7) {
		if (*at == end || shift > 63)
			return false;
		value |= (uint64_t)(**at & 0x7f) << shift;
		if (!(*(*at)++ & 0x80))
			break;
	}
	*difference = value >> 1 ^ (0 - (value & 1));
	return true;
}

static uint32_t metric_count(const struct group *g)
{
	return (uint32_t)(g->words[1] >> HYB_METRIC_COUNT_SHIFT) & HYB_METRIC_COUNT_MASK;
}

/* Values of the program's own have no Enter and Leave between which they grow. */
static void metric(struct hyb_profile *p, const struct group *g)
{
	const uint8_t *at = (const uint8_t *)(g->words + 2), *end = (const uint8_t *)(g->words + g->head);
	struct hyb_profile_set *set;
	uint64_t *values, *previous;
	uint64_t difference;

	if (g->words[1] & HYB_METRIC_ALONE) {
		hyb_profile_node(p, p->header->state.root)->words += g->count;
		return;
	}
	p->header->state.pending += g->count;
	set = set_of(p, (uint32_t)g->words[1], metric_count(g));
	if (!set)
		return;
	values = hyb_profile_cell(p, set->values);
	previous = hyb_profile_cell(p, set->previous);
	for (uint32_t i = 0; i < set->count && unpack(&at, end, &difference); i++) {
		previous[i] += difference;
		values[i] = previous[i];
	}
	if (!set->known)
		hyb_profile_adopt(p, set);
	set->known = 1;
}

#define DEPTH 32	/* of kernel events in each other */

static void add_kernel(struct hyb_profile *p, struct hyb_profile_node *n, uint64_t count, uint64_t ns)
{
	struct hyb_profile_node *around = hyb_profile_node(p, n->parent);
	uint64_t each;

	if (!count)
		return;
	each = ns / count;
	n->visits += count;
	n->inclusive += ns;
	n->min = each < n->min ? each : n->min;
	n->max = each > n->max ? each : n->max;
	n->bins[hyb_profile_bin(each)] += count;
	if (hyb_profile_is_kernel(around->region))
		around->children += ns;
}

/* What the kernel did in the region that is open. */
static void kernel_sums(struct hyb_profile *p, const struct group *g, uint64_t now)
{
	struct hyb_profile_state *s = &p->header->state;
	uint32_t in[DEPTH + 1] = { innermost(p) };
	uint64_t depth, open = 0;

	s->pending += g->count;
	if (g->words[1] >> HYB_SUMS_BEGIN_SHIFT && !s->kernel)
		s->kernel = now ? now : 1;
	s->kernel_own |= g->words[1] >> HYB_SUMS_OWN_SHIFT & 1;
	s->crowded += g->words[1] & HYB_SUMS_CROWDED_MASK;
	for (uint32_t i = 2; i + HYB_SUMS_WORDS <= g->head; i += HYB_SUMS_WORDS) {
		const uint64_t *w = g->words + i;
		struct hyb_profile_node *n;

		depth = w[0] >> HYB_SUMS_DEPTH_SHIFT;
		/* It would be in nothing. */
		if (depth > open || depth >= DEPTH)
			return;
		n = hyb_profile_child(p, in[depth], HYB_PROFILE_KERNEL | (uint32_t)w[0], 0);
		add_kernel(p, n, w[1], w[2]);
		open = depth + 1;
		in[open] = hyb_profile_number(p, n);
	}
}

/* A record with an id and a time of its own. */
static void timed(struct hyb_profile *p, const struct group *g, uint32_t type, uint64_t now)
{
	uint64_t id = g->words[0] >> HYB_ID_SHIFT & HYB_ID_MASK;
	struct hyb_profile_state *s = &p->header->state;

	switch (type) {
	case HYB_ENTER:
		enter(p, g, id, now);
		break;
	case HYB_ENTER_WIDE:
		enter(p, g, g->words[1], now);
		break;
	case HYB_LEAVE:
		leave(p, g, id, g->head < g->count && type_of(g->words[g->head]) == HYB_LATE ? s->last : now);
		break;
	case HYB_LEAVE_WIDE:
		leave(p, g, g->words[1], now);
		break;
	case HYB_MORE:
		add_words(p, hyb_profile_node(p, innermost(p)), g);
		all_attached(p, hyb_profile_node(p, innermost(p)), g);
		break;
	case HYB_MARK:
		hyb_profile_node(p, s->root)->words += g->count;
		mark(p, id, now);
		break;
	case HYB_POLL:
		poll(p, g, now);
		break;
	case HYB_METRIC:
		metric(p, g);
		break;
	case HYB_KERNEL_SUMS:
		kernel_sums(p, g, now);
		break;
	default:
		/* Points of time: what is said of a region, and what OpenMP's threads do in it. */
		add_words(p, hyb_profile_node(p, innermost(p)), g);
		break;
	}
}

static inline void short_call(struct hyb_profile *p, const struct group *g)
{
	struct hyb_profile_state *s = &p->header->state;
	uint64_t word = g->words[0];
	uint64_t base = s->last > s->first_time ? s->last : s->first_time;
	uint64_t begin = base + (uint64_t)(int64_t)(int32_t)((uint32_t)word - (uint32_t)base);
	uint64_t ticks = word >> HYB_CALL_SPAN_SHIFT & HYB_CALL_SPAN_MASK;

	if (begin < s->last)
		begin = s->last;
	call(p, g, word >> HYB_CALL_ID_SHIFT & HYB_CALL_ID_MASK, begin, ticks);
	s->last = begin + ticks;
}

static inline void one(struct hyb_profile *p, const struct group *g)
{
	struct hyb_profile_state *s = &p->header->state;
	uint32_t type = type_of(g->words[0]);
	uint64_t now;

	if (type == HYB_EPOCH) {
		hyb_profile_node(p, s->root)->words += g->count;
		s->epoch = g->words[0] << HYB_TIME_BITS;
		return;
	}
	s->records++;
	if (type == HYB_CALL) {
		short_call(p, g);
		return;
	}
	now = s->epoch | (g->words[0] & HYB_TIME_MASK);
	if (now < s->last)
		now = s->last;
	timed(p, g, type, now);
	s->last = now;
}

/* Where the group ends that begins with *words, of which there are `left`; 0: it makes no sense. */
static inline uint32_t measure(const uint64_t *words, uint64_t left, struct group *g)
{
	uint64_t end = words_of(words[0]);

	g->words = words;
	g->head = (uint32_t)end;
	if (!end || end > left || !type_of(words[0]) || (int64_t)words[0] < 0)
		return 0;
	if ((type_of(words[0]) == HYB_POLL && end < HYB_POLL_WORDS) ||
	    ((type_of(words[0]) == HYB_METRIC || type_of(words[0]) == HYB_KERNEL_SUMS) && end < 2))
		return 0;
	while (end < left && (int64_t)words[end] < 0) {
		uint32_t n = words_of(words[end]);

		if (!n || n > left - end)
			return 0;
		end += n;
	}
	g->count = (uint32_t)end;
	return (uint32_t)end;
}

/* Space for all that a group may make. 0 or what grow says; -EBADMSG: it is no group. */
static int reserve(struct hyb_profile *p, const struct group *g)
{
	uint32_t count = g->count > SMALL ? g->count : SMALL;
	uint64_t words = 0;

	if (type_of(g->words[0]) == HYB_KERNEL_SUMS)
		count = g->head / HYB_SUMS_WORDS > SMALL ? g->head / HYB_SUMS_WORDS : SMALL;
	if (type_of(g->words[0]) == HYB_METRIC) {
		/* a value takes a byte at least; the vectors of the root and of its frame grow, too */
		if (metric_count(g) > (uint64_t)(g->head - 2) * sizeof(uint64_t))
			return -EBADMSG;
		words = 4 * (uint64_t)metric_count(g) + 2 * p->header->state.metrics + 40;
	}
	return hyb_profile_reserve(p, count, words);
}

static void next_chunk(struct hyb_profile *p, const struct hyb_chunk_header *chunk)
{
	struct hyb_profile_state *s = &p->header->state;
	struct hyb_profile_set *set;

	/* What was open when records were lost may have been left since. */
	if (chunk->lost > s->lost) {
		end_all(p, s->last);
		s->lost = chunk->lost;
	}
	s->seq = chunk->seq;
	s->done = 0;
	s->first_time = chunk->first_time;
	s->epoch = chunk->first_time >> HYB_TIME_BITS << HYB_TIME_BITS;
	memset(sites(p), 0, HYB_PROFILE_SITES * sizeof(uint64_t));
	for (uint32_t at = s->sets; at; at = set->before) {
		set = hyb_profile_cell(p, at);
		memset(hyb_profile_cell(p, set->previous), 0, set->count * sizeof(uint64_t));
	}
}

int hyb_profile_digest(struct hyb_profile *p, const struct hyb_chunk_header *chunk, const uint64_t *words,
		       uint64_t used)
{
	uint64_t reserved = 0;
	struct group g;
	int err = 0;

	__atomic_store_n(&p->header->state.turn, p->header->state.turn | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (chunk->seq != p->header->state.seq)
		next_chunk(p, chunk);
	while (p->header->state.done < used) {
		uint64_t done = p->header->state.done;
		uint32_t n = measure(words + done, used - done, &g);

		/* What one group may make was reserved when the last one had made something. */
		if (__builtin_expect(p->header->state.cells != reserved || g.count > SMALL || !n, 0)) {
			err = n ? reserve(p, &g) : -EBADMSG;
			reserved = p->header->state.cells;
		} else if (type_of(g.words[0]) == HYB_METRIC) {
			err = reserve(p, &g);
		}
		if (__builtin_expect(err, 0))
			break;
		one(p, &g);
		p->header->state.done = done + n;
	}
	if (err == -EBADMSG)
		p->header->state.done = used;
	/* release: whoever sees it even sees what was changed before */
	__atomic_store_n(&p->header->state.turn, (p->header->state.turn | 1) + 1, __ATOMIC_RELEASE);
	return err;
}

uint32_t hyb_profile_end(struct hyb_profile *p, uint64_t now)
{
	struct hyb_profile_state *s = &p->header->state;
	const struct hyb_profile_frame *f;
	uint32_t open = 0;

	for (f = hyb_profile_frame(p, s->frame); f->outer; f = hyb_profile_frame(p, f->outer))
		open++;
	end_all(p, now);
	hyb_profile_pop(p, now > f->enter ? now : f->enter);
	return open;
}
