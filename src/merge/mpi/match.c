/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the halves of messages and collective operations; see match.h. */
#include "merge/mpi/match.h"

#include <errno.h>
#include <string.h>

struct comm_sum { /* of one communicator's parts */
	uint32_t comm;
	uint64_t members;
	uint64_t first[2]; /* by gaps, and by pauses too */
	uint64_t last[2];
	uint64_t least; /* calls of the member with the fewest */
	uint64_t most;
	uint32_t pauses; /* of one member */
	bool paused;	 /* others have other numbers of them */
};

static bool same_pair(const void *entry, const void *key)
{
	return memcmp(entry, key, sizeof(struct hyb_message)) == 0;
}

static bool same_part(const void *entry, const void *key)
{
	return memcmp(entry, key, 2 * sizeof(uint32_t)) == 0;
}

static bool same_comm(const void *entry, const void *key)
{
	return ((const struct comm_sum *)entry)->comm == *(const uint32_t *)key;
}

static uint64_t hash_message(const struct hyb_message *k)
{
	return hyb_mix(((uint64_t)k->comm << 32 | k->source) +
		       ((uint64_t)k->tag << 32 | k->destination) * UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t hash_part(uint32_t comm, uint32_t member)
{
	return hyb_mix((uint64_t)comm << 32 | member);
}

void hyb_match_init(struct hyb_match *m)
{
	memset(m, 0, sizeof(*m));
	hyb_table_init(&m->pairs, sizeof(struct hyb_pair), same_pair);
	hyb_table_init(&m->tags, sizeof(struct hyb_pair), same_pair);
	hyb_table_init(&m->parts, sizeof(struct hyb_part), same_part);
}

void hyb_match_free(struct hyb_match *m)
{
	hyb_table_free(&m->pairs);
	hyb_table_free(&m->tags);
	hyb_table_free(&m->parts);
}

static struct hyb_pair *get_pair(struct hyb_table *t, const struct hyb_message *key)
{
	uint64_t hash = hash_message(key);
	struct hyb_pair *p = hyb_table_find(t, hash, key);

	if (!p) {
		p = hyb_table_add(t, hash);
		if (p)
			p->key = *key;
	}
	return p;
}

static struct hyb_part *get_part(struct hyb_table *t, uint32_t comm, uint32_t member)
{
	const uint32_t key[2] = { comm, member };
	uint64_t hash = hash_part(comm, member);
	struct hyb_part *p = hyb_table_find(t, hash, key);

	if (!p) {
		p = hyb_table_add(t, hash);
		if (p) {
			p->comm = comm;
			p->member = member;
		}
	}
	return p;
}

static void count_in(struct hyb_match_span *s, uint32_t cut)
{
	if (!cut) {
		s->early++;
		return;
	}
	if (s->cut != cut) {
		s->cut = cut;
		s->late = 0;
	}
	s->late++;
}

static void count(struct hyb_tally *t, struct hyb_cuts cuts)
{
	t->count++;
	count_in(&t->gaps, cuts.gaps);
	count_in(&t->cuts, cuts.gaps + cuts.pauses);
}

/* The pair of a message, whatever its tag. */
static struct hyb_pair *get_message(struct hyb_match *m, const struct hyb_message *key)
{
	struct hyb_message pair = *key;

	pair.tag = 0;
	return get_pair(&m->pairs, &pair);
}

int hyb_match_message(struct hyb_match *m, enum hyb_half half, const struct hyb_message *key,
		      struct hyb_cuts cuts)
{
	struct hyb_pair *p = get_message(m, key);

	if (!p)
		return -ENOMEM;
	count(&p->half[half], cuts);
	p->tags[half] += hyb_mix(key->tag + 1);
	return 0;
}

int hyb_match_take_back(struct hyb_match *m, enum hyb_half half, const struct hyb_message *key)
{
	struct hyb_pair *p = get_message(m, key);

	if (!p)
		return -ENOMEM;
	/* What came before a gap and after it is counted anew, per tag, where there are gaps. */
	p->half[half].count--;
	p->tags[half] -= hyb_mix(key->tag + 1);
	return 0;
}

int hyb_match_collective(struct hyb_match *m, uint32_t comm, uint32_t member, struct hyb_cuts cuts)
{
	struct hyb_part *p = get_part(&m->parts, comm, member);

	if (!p)
		return -ENOMEM;
	count(&p->calls, cuts);
	return 0;
}

/* One member is counted by one thread, so at most one of the two has counted anything. */
static void merge_tally(struct hyb_tally *a, const struct hyb_tally *b)
{
	if (b->count)
		*a = *b;
}

static int merge_pairs(struct hyb_table *to, const struct hyb_table *from)
{
	const struct hyb_pair *b;
	struct hyb_pair *a;
	uint32_t i, half;

	for (i = 0; i < from->count; i++) {
		b = hyb_table_at(from, i);
		a = get_pair(to, &b->key);
		if (!a)
			return -ENOMEM;
		for (half = 0; half < 2; half++) {
			merge_tally(&a->half[half], &b->half[half]);
			a->tags[half] += b->tags[half];
		}
		a->unreported |= b->unreported;
	}
	return 0;
}

int hyb_match_merge(struct hyb_match *m, const struct hyb_match *other)
{
	const struct hyb_part *b;
	struct hyb_part *a;
	uint32_t i;

	for (i = 0; i < other->parts.count; i++) {
		b = hyb_table_at(&other->parts, i);
		a = get_part(&m->parts, b->comm, b->member);
		if (!a)
			return -ENOMEM;
		merge_tally(&a->calls, &b->calls);
	}
	return merge_pairs(&m->pairs, &other->pairs);
}

int hyb_match_merge_tags(struct hyb_match *m, const struct hyb_match *other)
{
	return merge_pairs(&m->tags, &other->tags);
}

/* The entry for all tags. */
static struct hyb_pair *find_pair(const struct hyb_match *m, const struct hyb_message *key)
{
	struct hyb_message pair = *key;

	pair.tag = 0;
	return hyb_table_find(&m->pairs, hash_message(&pair), &pair);
}

/* Receives of the same member that did not name all may be of this one. */
static bool may_be(const struct hyb_match *m, const struct hyb_message *key)
{
	struct hyb_message any = *key;

	any.source = HYB_UNREPORTED_ANY;
	return find_pair(m, &any) != NULL;
}

bool hyb_match_judge(struct hyb_match *m, const struct hyb_match_facts *f, bool all)
{
	struct hyb_pair *p;
	bool any = false, unreported = false;
	uint32_t i;

	for (i = 0; i < m->pairs.count; i++) {
		p = hyb_table_at(&m->pairs, i);
		p->uneven = all || p->half[0].count != p->half[1].count ||
			    p->tags[0] != p->tags[1] || f->gaps(f->arg, p->key.source) ||
			    f->gaps(f->arg, p->key.destination) || may_be(m, &p->key);
		any |= p->uneven;
		unreported |= p->unreported;
	}
	m->uneven = any;
	return any || unreported;
}

int hyb_match_unreported(struct hyb_match *m, const struct hyb_message *key)
{
	struct hyb_pair *p = get_message(m, key);

	if (!p)
		return -ENOMEM;
	p->unreported = true;
	p->half[HYB_HALF_RECV].count += key->source == HYB_UNREPORTED_ANY;
	return 0;
}

bool hyb_match_is_unreported(const struct hyb_match *m, const struct hyb_message *key)
{
	const struct hyb_pair *p = find_pair(m, key);

	return (p && p->unreported) || may_be(m, key);
}

int hyb_match_place(struct hyb_match *m, const struct hyb_message *key, uint64_t count)
{
	struct hyb_message any = *key;
	struct hyb_pair *of[2], *p;
	size_t i;

	of[0] = get_message(m, key);
	of[1] = get_pair(&m->tags, key);
	any.source = HYB_UNREPORTED_ANY;
	p = find_pair(m, &any);
	if (!of[0] || !of[1] || !p)
		return -ENOMEM;
	for (i = 0; i < 2; i++) {
		of[i]->half[HYB_HALF_RECV].count += count;
		of[i]->half[HYB_HALF_RECV].gaps.early += count;
		of[i]->half[HYB_HALF_RECV].cuts.early += count;
	}
	of[0]->tags[HYB_HALF_RECV] += count * hyb_mix(key->tag + 1);
	p->half[HYB_HALF_RECV].count -= count;
	return 0;
}

void hyb_match_written(const struct hyb_match *m, const struct hyb_message *key, uint64_t *first, uint64_t *last)
{
	const struct hyb_pair *p = find_pair(m, key);

	*first = UINT64_MAX;
	*last = 0;
	if (!m->uneven || !p || !p->uneven)
		return;
	p = hyb_table_find(&m->tags, hash_message(key), key);
	*first = p ? p->first : 0;
	*last = p ? p->last : 0;
}

int hyb_match_tag(struct hyb_match *m, const struct hyb_match *pairs, enum hyb_half half,
		  const struct hyb_message *key, struct hyb_cuts cuts)
{
	struct hyb_pair *p = find_pair(pairs, key);

	if (!p || !p->uneven)
		return 0;
	p = get_pair(&m->tags, key);
	if (!p)
		return -ENOMEM;
	count(&p->half[half], cuts);
	return 0;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How many of a tally are known to be its last ones. */
static uint64_t known_last(const struct hyb_tally *t, const struct hyb_match_facts *f,
			   uint32_t member, bool paused)
{
	uint32_t cuts = f->gaps(f->arg, member) + (paused ? f->pauses(f->arg, member) : 0);
	const struct hyb_match_span *s = paused ? &t->cuts : &t->gaps;

	if (!f->ended(f->arg, member))
		return 0;
	if (!cuts)
		return t->count;
	return s->cut == cuts ? s->late : 0;
}

static uint64_t known_first(const struct hyb_tally *t, bool paused)
{
	return paused ? t->cuts.early : t->gaps.early;
}

static void settle_pair(struct hyb_pair *p, const struct hyb_match_facts *f)
{
	const struct hyb_tally *send = &p->half[HYB_HALF_SEND], *recv = &p->half[HYB_HALF_RECV];
	bool paused = send->count != recv->count &&
		      f->pauses(f->arg, p->key.source) != f->pauses(f->arg, p->key.destination);

	p->first = min(known_first(send, paused), known_first(recv, paused));
	p->last = min(known_last(send, f, p->key.source, paused),
		      known_last(recv, f, p->key.destination, paused));
	p->last = min(p->last, min(send->count, recv->count) - p->first);
}

static struct comm_sum *sum_part(struct hyb_table *sums, const struct hyb_part *p,
				 const struct hyb_match_facts *f)
{
	uint64_t hash = hyb_mix(p->comm);
	struct comm_sum *s = hyb_table_find(sums, hash, &p->comm);

	if (!s) {
		s = hyb_table_add(sums, hash);
		if (!s)
			return NULL;
		s->comm = p->comm;
		s->first[0] = s->last[0] = s->first[1] = s->last[1] = p->calls.count;
		s->least = s->most = p->calls.count;
		s->pauses = f->pauses(f->arg, p->member);
	}
	return s;
}

static int sum_parts(struct hyb_table *sums, const struct hyb_match *m,
		     const struct hyb_match_facts *f)
{
	const struct hyb_part *p;
	struct comm_sum *s;
	uint32_t i, k;

	for (i = 0; i < m->parts.count; i++) {
		p = hyb_table_at(&m->parts, i);
		s = sum_part(sums, p, f);
		if (!s)
			return -ENOMEM;
		s->members++;
		for (k = 0; k < 2; k++) {
			s->first[k] = min(s->first[k], known_first(&p->calls, k));
			s->last[k] = min(s->last[k], known_last(&p->calls, f, p->member, k));
		}
		s->least = min(s->least, p->calls.count);
		s->most = s->most > p->calls.count ? s->most : p->calls.count;
		s->paused |= s->pauses != f->pauses(f->arg, p->member);
	}
	return 0;
}

int hyb_match_settle(struct hyb_match *m, const struct hyb_match_facts *facts)
{
	struct hyb_table sums;
	struct comm_sum *s;
	struct hyb_part *p;
	uint32_t i;
	bool k;
	int ret;

	for (i = 0; i < m->tags.count; i++)
		settle_pair(hyb_table_at(&m->tags, i), facts);
	hyb_table_init(&sums, sizeof(struct comm_sum), same_comm);
	ret = sum_parts(&sums, m, facts);
	for (i = 0; !ret && i < m->parts.count; i++) {
		p = hyb_table_at(&m->parts, i);
		s = sum_part(&sums, p, facts);
		k = s->paused && s->least != s->most;
		if (s->members == facts->size(facts->arg, p->comm)) {
			p->first = s->first[k];
			p->last = min(s->last[k], s->least - s->first[k]);
		}
		m->uneven |= p->first + p->last != p->calls.count;
	}
	hyb_table_free(&sums);
	return ret;
}

static bool keep(struct hyb_tally *t, uint64_t first, uint64_t last)
{
	uint64_t n = t->seen++;

	return n < first || (n < t->count && n >= t->count - last);
}

bool hyb_match_keep_message(const struct hyb_match *m, enum hyb_half half,
			    const struct hyb_message *key)
{
	struct hyb_pair *p;

	if (!m->uneven)
		return true;
	p = find_pair(m, key);
	if (!p || !p->uneven)
		return p != NULL;
	p = hyb_table_find(&m->tags, hash_message(key), key);
	return p && keep(&p->half[half], p->first, p->last);
}

bool hyb_match_keep_collective(const struct hyb_match *m, uint32_t comm, uint32_t member)
{
	const uint32_t key[2] = { comm, member };
	struct hyb_part *p;

	if (!m->uneven)
		return true;
	p = hyb_table_find(&m->parts, hash_part(comm, member), key);
	return p && keep(&p->calls, p->first, p->last);
}

void hyb_match_rewind(struct hyb_match *m)
{
	struct hyb_pair *p;
	uint32_t i;

	for (i = 0; i < m->tags.count; i++) {
		p = hyb_table_at(&m->tags, i);
		p->half[0].seen = 0;
		p->half[1].seen = 0;
	}
	for (i = 0; i < m->parts.count; i++)
		((struct hyb_part *)hyb_table_at(&m->parts, i))->calls.seen = 0;
}

void hyb_match_sum(const struct hyb_match *m, struct hyb_match_sums *sums)
{
	const struct hyb_pair *p;
	const struct hyb_part *c;
	uint32_t i;

	memset(sums, 0, sizeof(*sums));
	for (i = 0; i < m->pairs.count; i++) {
		p = hyb_table_at(&m->pairs, i);
		sums->sends += p->half[HYB_HALF_SEND].count;
		sums->receives += p->half[HYB_HALF_RECV].count;
		if (!p->uneven)
			sums->matched += p->half[HYB_HALF_SEND].count;
	}
	for (i = 0; i < m->tags.count; i++) {
		p = hyb_table_at(&m->tags, i);
		sums->matched += p->first + p->last;
	}
	for (i = 0; i < m->parts.count; i++) {
		c = hyb_table_at(&m->parts, i);
		sums->collectives += c->calls.count;
		sums->whole += c->first + c->last;
	}
}
