/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From records to call trees: random programs are written as records and added up here, too, each in its own way; with
 * chunks that end anywhere, with space that comes in small pieces or does not come at first, and with damage.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/calltree/digest.h"
#include "../lib/tap.h"

#define CHUNK_WORDS 500
#define PATHS 4000
#define DEPTH 12
#define METRICS 3

/* With AddressSanitizer tables that grow are copied each time, which takes hundreds of times as long. */
#ifdef __SANITIZE_ADDRESS__
#define SEEDS(count) ((count) / 5)
#else
#define SEEDS(count) (count)
#endif

/* What is expected of a path. */
struct path {
	uint32_t parent;
	uint64_t region, site;
	uint64_t visits, inclusive, min, max;
	uint64_t sends, sent, receives, received, collectives;
	uint64_t metrics[METRICS];
};

static struct {
	struct path paths[PATHS];
	uint32_t count;
	uint32_t open[DEPTH + 1];
	uint64_t since[DEPTH + 1];
	uint64_t then[DEPTH + 1][METRICS];
	uint32_t depth;
	uint64_t now;
	uint64_t metrics[METRICS];
	bool metrics_known;
} model;

/* The stream that is being written. */
static struct {
	struct hyb_chunk_header header;
	uint64_t words[CHUNK_WORDS + 64];
	uint64_t epoch;
	uint64_t sites[HYB_PROFILE_SITES];
	uint64_t packed[METRICS];
	uint64_t all; /* words of the chunks before it */
} chunk;

static struct hyb_profile profile;
static int refusals; /* of the next so many requests for space */
static bool small;
static uint64_t state;

static uint64_t next_random(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 33;
}

static int grow(struct hyb_profile *p, uint64_t cells)
{
	uint64_t room = p->header ? p->header->state.room : 0;
	char *grown;

	if (refusals > 0 && refusals--)
		return -ENOSPC;
	/* Only as long as it is small: what is moved at every step costs minutes under sanitizers. */
	if (small && p->header && cells < 1000)
		cells = cells * 2 / 3 + 1;
	grown = realloc(p->header, HYB_PROFILE_HEADER_SIZE + cells * HYB_PROFILE_CELL);
	if (!p->header)
		memset(grown, 0, HYB_PROFILE_HEADER_SIZE);
	memset(grown + HYB_PROFILE_HEADER_SIZE + room * HYB_PROFILE_CELL, 0, (cells - room) * HYB_PROFILE_CELL);
	p->header = (void *)grown;
	p->header->state.room = cells;
	return 0;
}

static void take(void)
{
	int err;

	do {
		err = hyb_profile_digest(&profile, &chunk.header, chunk.words, chunk.header.used);
	} while (err == -ENOSPC);
	if (err)
		tap(false, "the chunk is understood: %s", strerror(-err));
}

static void next_chunk(void)
{
	if (chunk.header.seq)
		take();
	chunk.header.seq++;
	chunk.all += chunk.header.used;
	chunk.header.used = 0;
	chunk.header.first_time = model.now;
	chunk.epoch = model.now >> HYB_TIME_BITS;
	memset(chunk.sites, 0, sizeof(chunk.sites));
	memset(chunk.packed, 0, sizeof(chunk.packed));
}

/* Before a group: room, and time goes on. */
static void begin_group(void)
{
	model.now += next_random() % 50 ? next_random() % 5000 : next_random() << 12;
	if (chunk.header.used >= CHUNK_WORDS - next_random() % 100)
		next_chunk();
	if (model.now >> HYB_TIME_BITS != chunk.epoch) {
		chunk.epoch = model.now >> HYB_TIME_BITS;
		chunk.words[chunk.header.used++] = (uint64_t)HYB_EPOCH << HYB_TYPE_SHIFT | chunk.epoch;
	}
	/* Sometimes the chunk is added up while it is written. */
	if (next_random() % 40 == 0)
		take();
}

static void put(uint64_t word)
{
	chunk.words[chunk.header.used++] = word;
}

static uint64_t head(unsigned int type, uint64_t id)
{
	return (uint64_t)type << HYB_TYPE_SHIFT | id << HYB_ID_SHIFT | (model.now & HYB_TIME_MASK);
}

static struct path *path_of(uint64_t region, uint64_t site)
{
	uint32_t parent = model.open[model.depth];
	struct path *p;

	for (uint32_t i = 1; i < model.count; i++) {
		p = &model.paths[i];
		if (p->parent == parent && p->region == region && p->site == site)
			return p;
	}
	p = &model.paths[model.count++];
	*p = (struct path){ .parent = parent, .region = region, .site = site, .min = UINT64_MAX };
	return p;
}

static void add_time(struct path *p, uint64_t ticks)
{
	p->visits++;
	p->inclusive += ticks;
	p->min = ticks < p->min ? ticks : p->min;
	p->max = ticks > p->max ? ticks : p->max;
}

static uint64_t put_site(uint64_t region)
{
	uint64_t site = region >= HYB_PROFILE_SITES ? 0 : 0x400000 + next_random() % 3;

	if (site && chunk.sites[region] != site) {
		chunk.sites[region] = site;
		put((uint64_t)HYB_SITE << HYB_TYPE_SHIFT | site);
	}
	return site;
}

/* A message to or from somebody, in one of its forms. */
static void put_message(struct path *p, bool send)
{
	uint64_t peer = next_random() % 7, bytes = next_random() % 9000 * 8;

	switch (next_random() % 3) {
	case 0:
		bytes &= 0x3fff;
		put((uint64_t)(send ? HYB_SEND_SHORT : HYB_RECV_SHORT) << HYB_TYPE_SHIFT |
		    (uint64_t)HYB_NEAR_NONE << HYB_NEAR_SHIFT | peer << HYB_SHORT_PEER_SHIFT | bytes);
		break;
	case 1:
		put((uint64_t)(send ? HYB_SEND : HYB_RECV) << HYB_TYPE_SHIFT | peer);
		put(UINT64_C(5) << 32 | bytes);
		break;
	default:
		put((uint64_t)(send ? HYB_SEND_WIDE : HYB_RECV_WIDE) << HYB_TYPE_SHIFT | peer);
		put(5);
		put(bytes);
	}
	if (send) {
		p->sends++;
		p->sent += bytes;
	} else {
		p->receives++;
		p->received += bytes;
	}
}

static void put_metrics(void)
{
	uint64_t *count = &chunk.words[chunk.header.used];
	uint8_t *at;
	size_t words;

	count[0] = 0;
	count[1] = (uint64_t)METRICS << HYB_METRIC_COUNT_SHIFT | 9;
	at = (uint8_t *)(count + 2);
	memset(at, 0, 10 * METRICS + 8);
	for (int i = 0; i < METRICS; i++) {
		uint64_t value = model.metrics[i] += next_random() % 3 ? next_random() % 100 : next_random() << 30;
		uint64_t difference = value - chunk.packed[i];
		uint64_t zigzag = difference << 1 ^ (0 - (difference >> 63));

		chunk.packed[i] = value;
		for (; zigzag > 0x7f; zigzag >>= 7)
			*at++ = 0x80 | (zigzag & 0x7f);
		*at++ = (uint8_t)zigzag;
	}
	words = 2 + ((size_t)(at - (uint8_t *)(count + 2)) + 7) / 8;
	count[0] = (uint64_t)HYB_METRIC << HYB_TYPE_SHIFT | (uint64_t)words << HYB_ID_SHIFT | (model.now & HYB_TIME_MASK);
	chunk.header.used += words;
}

static bool is_paused(void)
{
	return model.paths[model.open[model.depth]].region == HYB_PROFILE_PAUSED;
}

static void push(struct path *p)
{
	model.depth++;
	model.open[model.depth] = (uint32_t)(p - model.paths);
	model.since[model.depth] = model.now;
	memcpy(model.then[model.depth], model.metrics, sizeof(model.metrics));
}

/* Whatever is innermost ends. */
static void pop(void)
{
	struct path *p = &model.paths[model.open[model.depth]];

	add_time(p, model.now - model.since[model.depth]);
	for (int i = 0; i < METRICS; i++)
		p->metrics[i] += model.metrics[i] - model.then[model.depth][i];
	model.depth--;
}

/* Recording is switched off, or on again. */
static void mark(void)
{
	bool paused = is_paused();

	begin_group();
	put(head(HYB_MARK, paused ? HYB_MARK_ON : HYB_MARK_OFF));
	if (paused)
		pop();
	else
		push(path_of(HYB_PROFILE_PAUSED, 0));
}

static void enter(uint64_t region)
{
	struct path *p;

	begin_group();
	if (next_random() % 2)
		put_metrics();
	put(head(region > HYB_ID_MASK ? HYB_ENTER_WIDE : HYB_ENTER, region & HYB_ID_MASK));
	if (region > HYB_ID_MASK)
		put(region);
	p = path_of(region, put_site(region));
	if (next_random() % 4 == 0)
		put_message(p, true);
	push(p);
}

/* What was called is over, perhaps while recording is paused. */
static void leave(void)
{
	const bool paused = is_paused();
	struct path *p = &model.paths[model.open[model.depth - paused]];

	begin_group();
	if (next_random() % 2)
		put_metrics();
	put(head(p->region > HYB_ID_MASK ? HYB_LEAVE_WIDE : HYB_LEAVE, p->region & HYB_ID_MASK));
	if (p->region > HYB_ID_MASK)
		put(p->region);
	if (next_random() % 4 == 0)
		put_message(p, false);
	if (next_random() % 8 == 0) {
		put((uint64_t)HYB_COLL << HYB_TYPE_SHIFT | 3);
		put(UINT64_C(16) << 32 | 24);
		p->collectives++;
		p->sent += 16;
		p->received += 24;
	}
	if (paused)
		pop();
	pop();
	if (paused)
		push(path_of(HYB_PROFILE_PAUSED, 0));
}

static void call(uint64_t region)
{
	uint64_t ticks = next_random() % 4096;
	struct path *p;

	begin_group();
	put((uint64_t)HYB_CALL << HYB_TYPE_SHIFT | region << HYB_CALL_ID_SHIFT | ticks << HYB_CALL_SPAN_SHIFT |
	    (uint32_t)model.now);
	p = path_of(region, put_site(region));
	if (next_random() % 3 == 0)
		put_message(p, next_random() % 2);
	add_time(p, ticks);
	model.now += ticks;
}

static void run(int steps)
{
	for (int i = 0; i < steps; i++) {
		uint64_t region = 1 + next_random() % 5 + (next_random() % 9 ? 0 : 70000);

		if (is_paused() ? next_random() % 2 : next_random() % 20 == 0 && model.depth < DEPTH && model.count < PATHS - 10)
			mark();
		else if (model.depth > is_paused() && (is_paused() || next_random() % 3 == 0 || model.depth == DEPTH))
			leave();
		else if (is_paused())
			continue;
		else if (next_random() % 2 && model.count < PATHS - 10)
			enter(region);
		else if (model.count < PATHS - 10)
			call(1 + region % 70000 % 6);
	}
}

/* Where the tree has what the model expects; the number of differences. */
static int compare(void)
{
	const struct hyb_profile_state *s = &profile.header->state;
	uint32_t *cell = calloc(model.count, sizeof(*cell));
	int wrong = s->nodes.count + 1 != model.count;

	cell[0] = s->root;
	for (uint32_t i = 1; i < model.count; i++) {
		const struct path *p = &model.paths[i];
		const struct hyb_profile_node *n;
		uint64_t children = 0;

		n = hyb_profile_child(&profile, cell[p->parent], p->region, p->site);
		cell[i] = hyb_profile_number(&profile, n);
		for (uint32_t k = 1; k < model.count; k++)
			children += model.paths[k].parent == i ? model.paths[k].inclusive : 0;
		wrong += n->visits != p->visits || n->inclusive != p->inclusive || n->children != children ||
			 n->children > n->inclusive;
		wrong += p->visits && (n->min != p->min || n->max != p->max);
		wrong += n->sends != p->sends || n->sent != p->sent || n->receives != p->receives ||
			 n->received != p->received || n->collectives != p->collectives;
		for (int k = 0; k < METRICS && n->metric_count; k++)
			wrong += ((uint64_t *)hyb_profile_cell(&profile, n->metrics))[k] != p->metrics[k];
	}
	free(cell);
	return wrong;
}

/* What each path has with its partners must be what it has in all. */
static int compare_partners(void)
{
	const struct hyb_profile_state *s = &profile.header->state;
	uint64_t sent = 0, received = 0, count = 0;
	uint64_t all_sent = 0, all_received = 0, all = 0;

	for (uint32_t at = s->partners.last; at;) {
		const struct hyb_profile_partner *x = hyb_profile_cell(&profile, at);

		sent += x->sent;
		received += x->received;
		count += x->count;
		at = x->before;
	}
	for (uint32_t i = 1; i < model.count; i++) {
		all_sent += model.paths[i].sent;
		all_received += model.paths[i].received;
		all += model.paths[i].sends + model.paths[i].receives + model.paths[i].collectives;
	}
	return (sent != all_sent) + (received != all_received) + (count != all);
}

/* What refers to another one must refer to an older one, or readers take it for damage. */
static int compare_order(void)
{
	const struct hyb_profile_state *s = &profile.header->state;
	int wrong = s->nodes.size < s->nodes.count;

	for (uint32_t at = s->nodes.last; at;) {
		const struct hyb_profile_node *n = hyb_profile_node(&profile, at);

		wrong += n->next >= at || n->parent >= at || n->before >= at;
		at = n->before;
	}
	for (uint32_t at = s->partners.last; at;) {
		const struct hyb_profile_partner *x = hyb_profile_cell(&profile, at);

		wrong += x->next >= at || x->before >= at;
		at = x->before;
	}
	return wrong;
}

/* Each word of the stream is some path's. */
static int compare_words(void)
{
	uint64_t words = profile.header->state.pending;
	const struct hyb_profile_node *n;

	for (uint32_t at = profile.header->state.nodes.last; at; at = n->before) {
		n = hyb_profile_node(&profile, at);
		words += n->words;
	}
	return words != chunk.all + chunk.header.used;
}

static void begin(uint64_t seed)
{
	free(profile.header);
	memset(&profile, 0, sizeof(profile));
	memset(&model, 0, sizeof(model));
	memset(&chunk, 0, sizeof(chunk));
	state = seed;
	model.count = 1;
	model.now = 1 + (next_random() << 20);
	profile.grow = grow;
	grow(&profile, HYB_PROFILE_FIRST);
	hyb_profile_begin(&profile, model.now);
	next_chunk();
	/* Metrics are known from the beginning, or a region's would lack what came before. */
	begin_group();
	put_metrics();
	put(head(HYB_POINT, 0));
}

static void end(void)
{
	if (is_paused())
		mark();
	while (model.depth)
		leave();
	take();
	hyb_profile_end(&profile, model.now);
}

static void test_random(void)
{
	int wrong = 0, partners = 0, roots = 0, order = 0, words = 0;
	uint32_t most = 0;

	for (uint64_t seed = 1; seed <= SEEDS(60); seed++) {
		begin(seed);
		small = seed % 2;
		refusals = seed % 3 ? 0 : 5;
		run(4000);
		end();
		refusals = 0;
		wrong += compare();
		partners += compare_partners();
		order += compare_order();
		words += compare_words();
		most = most < profile.header->state.nodes.size ? profile.header->state.nodes.size : most;
		roots += hyb_profile_node(&profile, profile.header->state.root)->inclusive !=
			 model.now - profile.header->start_time;
	}
	tap_equal(wrong, 0, "paths have the calls, times, messages and metrics that they should");
	tap_equal(partners, 0, "partners have what the paths have");
	tap_equal(words, 0, "paths have all words of the stream");
	tap_equal(order, 0, "everything refers to what is older");
	tap(most > 256, "also in tables that grew");
	tap_equal(roots, 0, "the root has the thread's life");
}

static void test_open(void)
{
	const struct hyb_profile_node *n;

	begin(5);
	enter(1);
	enter(2);
	take();
	tap_equal(hyb_profile_end(&profile, model.now + 1000), 2, "regions that are open are counted");
	n = hyb_profile_child(&profile, profile.header->state.root, 1, model.paths[1].site);
	tap_equal((long long)n->inclusive, (long long)(model.now + 1000 - model.since[1]), "and end at the end");
	tap_equal((long long)n->visits, 1, "as calls");
}

/* The library may be killed at any moment, and disks fail: no word may lead outside of the tree. */
static void test_damage(void)
{
	for (uint64_t seed = 100; seed < 100 + SEEDS(300); seed++) {
		begin(seed);
		run(300);
		for (int i = 0; i < 20; i++)
			chunk.words[next_random() % (chunk.header.used + 1)] ^= UINT64_C(1) << next_random() % 64;
		hyb_profile_digest(&profile, &chunk.header, chunk.words, chunk.header.used);
		hyb_profile_end(&profile, model.now);
	}
	tap(true, "damaged records are added up or left out");
}

int main(void)
{
	test_random();
	test_open();
	test_damage();
	free(profile.header);
	return tap_done();
}
