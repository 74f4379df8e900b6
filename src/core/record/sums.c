/* SPDX-License-Identifier: BSD-3-Clause */
/* HYB_KERNEL_SUMS records; see sums.h. */
#include "core/record/sums.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core/sys/clock.h"
#include "core/sys/memory.h"
#include "core/sys/sys.h"
#include "format/kernel.h"
#include "core/record/record.h"
#include "core/record/recorder.h"

#define DEPTH		16	/* of nodes in nodes; programs in the kernel have no more */
#define ENTRY		HYB_SUMS_WORDS
#define TURNS		3	/* what writing a record adds itself is told before an Enter as well */
#define PATIENCE	1000	/* how often in a second a thread without a slot looks whether there is one */

struct known {
	uint16_t place;
	uint8_t depth;
	bool changed;	/* it, or what is in it */
	bool moved;	/* told in another place */
};

/* What a thread needs for it; goes to another thread when this one has ended. */
struct hyb_sums {
	struct hyb_sums *next;
	const struct hyb_kernel_slot *slot;	/* NULL: it has none yet */
	struct hyb_sums_ask ask;
	uint64_t ask_at;
	uint64_t asked_first;
	uint64_t more[8];
	uint64_t used;				/* of the slot, when it was looked through for new nodes */
	uint64_t crowded;
	uint32_t count;
	/* What stands above is cleared where another thread gets the struct. */
	struct hyb_kernel_slot *own;		/* the slot, where the thread looks itself */
	struct known known[HYB_SLOT_NODES];	/* each is followed by those that are in it */
	struct hyb_slot_node last[HYB_SLOT_NODES];
};

static const struct hyb_sums_way *way;
static struct hyb_sums *spare;
static int spare_lock;
static const unsigned long long never;	/* the turn of a thread without a slot, which differs and is not more */

void hyb_sums_by(const struct hyb_sums_way *by)
{
	/* release pairs with the acquire in hyb_sums_begin: what is in it is there */
	__atomic_store_n(&way, by, __ATOMIC_RELEASE);
}

static struct hyb_sums *take(void)
{
	struct hyb_sums *s;
	uint64_t signals;

	hyb_sys_lock(&spare_lock, &signals);
	s = spare;
	if (s)
		spare = s->next;
	hyb_sys_unlock(&spare_lock, &signals);
	if (!s)
		return hyb_alloc_apart(sizeof(*s));
	memset(s, 0, offsetof(struct hyb_sums, own));
	return s;
}

static void give_back(struct hyb_sums *s)
{
	uint64_t signals;

	hyb_sys_lock(&spare_lock, &signals);
	s->next = spare;
	spare = s;
	hyb_sys_unlock(&spare_lock, &signals);
}

static uint32_t parent_of(const struct hyb_slot_node *node)
{
	return (uint32_t)(node->key >> 32);
}

/* Where the node goes that is in another one: right after that. UINT32_MAX: that one is not known yet. */
static uint32_t find_place(const struct hyb_sums *s, uint32_t parent, uint8_t *depth)
{
	*depth = 0;
	if (!parent)
		return s->count;
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->known[i].place + 1u != parent)
			continue;
		*depth = s->known[i].depth + 1;
		return i + 1;
	}
	return UINT32_MAX;
}

/* A node that is new, unless the one that it is in is not known. */
static bool learn(struct hyb_sums *s, uint32_t place)
{
	uint8_t depth;
	uint32_t at = find_place(s, parent_of(&s->slot->nodes[place]), &depth);

	if (at == UINT32_MAX || depth >= DEPTH)
		return false;
	memmove(&s->known[at + 1], &s->known[at], (s->count - at) * sizeof(*s->known));
	s->known[at] = (struct known){ .place = (uint16_t)place, .depth = depth };
	s->count++;
	return true;
}

static bool is_known(const struct hyb_sums *s, uint32_t place)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->known[i].place == place)
			return true;
	return false;
}

/* Nodes that are new since the last time. fresh: nothing was in them then. */
static void look_for_nodes(struct hyb_sums *s, bool fresh)
{
	const struct hyb_kernel_slot *slot = s->slot;
	bool more = true;

	if (s->used == __atomic_load_n(&slot->used, __ATOMIC_RELAXED))
		return;
	s->used = __atomic_load_n(&slot->used, __ATOMIC_RELAXED);
	while (more) {
		more = false;
		for (uint32_t i = 0; i < HYB_SLOT_NODES; i++) {
			if (!__atomic_load_n(&slot->nodes[i].key, __ATOMIC_RELAXED) || is_known(s, i) || !learn(s, i))
				continue;
			s->last[i].count = fresh ? 0 : slot->nodes[i].count;
			s->last[i].ns = fresh ? 0 : slot->nodes[i].ns;
			more = true;
		}
	}
}

static uint64_t growth(const struct hyb_sums *s, const struct known *k)
{
	return s->slot->nodes[k->place].count - s->last[k->place].count;
}

/* Those that changed, and those that they are in, which come before them; how many. */
static uint32_t mark_changed(struct hyb_sums *s)
{
	uint32_t changed = 0;
	int wanted = 0;

	for (uint32_t i = s->count; i-- > 0;) {
		struct known *k = &s->known[i];

		k->moved = false;
		k->changed = growth(s, k) || k->depth < wanted;
		if (k->changed)
			wanted = k->depth;
		changed += k->changed;
	}
	return changed;
}

static uint32_t event_of(const struct hyb_sums *s, const struct known *k)
{
	return (uint32_t)s->slot->nodes[k->place].key;
}

/*
 * Whether a fault is a minor one is known at its end only: until then it is one, and what is in it is in that node. It is
 * given to the major faults beside it where there were some that took as long. NULL: there were none.
 */
static struct known *major_of(struct hyb_sums *s, uint32_t minor)
{
	const struct known *k = &s->known[minor];
	const uint32_t parent = parent_of(&s->slot->nodes[k->place]);
	struct known *major = NULL;
	uint64_t inside = 0;

	if (event_of(s, k) != HYB_SUMS_EVENT(HYB_PROFILE_FAULT, 0))
		return NULL;
	for (uint32_t i = minor + 1; i < s->count && s->known[i].depth > k->depth; i++)
		if (s->known[i].depth == k->depth + 1)
			inside += s->slot->nodes[s->known[i].place].ns - s->last[s->known[i].place].ns;
	for (uint32_t i = 0; i < s->count && inside && !major; i++)
		if (event_of(s, &s->known[i]) == HYB_SUMS_EVENT(HYB_PROFILE_FAULT, 1) &&
		    parent_of(&s->slot->nodes[s->known[i].place]) == parent)
			major = &s->known[i];
	return major && s->slot->nodes[major->place].ns - s->last[major->place].ns >= inside ? major : NULL;
}

static uint64_t *put_entry(struct hyb_sums *s, const struct known *k, uint64_t *p)
{
	const struct hyb_slot_node now = s->slot->nodes[k->place];
	struct hyb_slot_node *last = &s->last[k->place];

	p[0] = (uint64_t)k->depth << HYB_SUMS_DEPTH_SHIFT | event_of(s, k);
	p[1] = now.count - last->count;
	p[2] = now.ns - last->ns;
	last->count = now.count;
	last->ns = now.ns;
	return p + ENTRY;
}

static uint64_t *put_entries(struct hyb_sums *s, uint64_t *p)
{
	struct known *major;

	for (uint32_t i = 0; i < s->count; i++) {
		major = s->known[i].changed ? major_of(s, i) : NULL;
		if (major)
			major->moved = true;
	}
	for (uint32_t i = 0; i < s->count; i++) {
		const struct known *k = &s->known[i];

		if (!k->changed || k->moved)
			continue;
		major = major_of(s, i);
		if (!major || growth(s, k))
			p = put_entry(s, k, p);
		if (major)
			p = put_entry(s, major, p);
	}
	return p;
}

static void put_record(struct hyb_thread *t, uint64_t now, uint32_t changed, bool begins)
{
	struct hyb_sums *s = t->sums;
	uint64_t *p = t->pos + 2;

	if (changed)
		p = put_entries(s, p);
	t->pos[0] = hyb_head(HYB_KERNEL_SUMS, (uint64_t)(p - t->pos), now);
	t->pos[1] = (uint64_t)begins << HYB_SUMS_BEGIN_SHIFT | (uint64_t)(s->slot == s->own) << HYB_SUMS_OWN_SHIFT |
		    ((s->slot->crowded - s->crowded) & HYB_SUMS_CROWDED_MASK);
	s->crowded = s->slot->crowded;
	/* Where the thread stands is not told behind it: format/standing.h */
	*p = 0;
	hyb_publish(p);
}

/* A slot is there: what is in it by now came before. */
static void begin_sums(struct hyb_thread *t, uint64_t now)
{
	struct hyb_sums *s = t->sums;

	t->kernel_turn = &s->slot->turn;
	t->kernel_seen = __atomic_load_n(t->kernel_turn, __ATOMIC_RELAXED);
	look_for_nodes(s, false);
	s->crowded = s->slot->crowded;
	if (hyb_counted_room(t, 2, now))
		put_record(t, now, 0, true);
}

/* No slot will come. Either the thread looks itself from here on, at each Enter and Leave, or it is done. */
static void do_without(struct hyb_thread *t, uint64_t now)
{
	struct hyb_sums *s = t->sums;

	way->forget(&s->ask);
	if (!s->own && way->look)
		s->own = hyb_alloc_apart(sizeof(*s->own));
	if (!s->own) {
		t->counted &= (uint8_t)~HYB_COUNTED_KERNEL;
		return;
	}
	way->look(s->own, s->more);
	s->slot = s->own;
	begin_sums(t, now);
	t->kernel_turn = &never;
	t->kernel_seen = UINT64_MAX;
}

/* Asks for the slot, or whether it has come, now and then. */
static void ask(struct hyb_thread *t, uint64_t now)
{
	struct hyb_sums *s = t->sums;
	const struct hyb_kernel_slot *slot = NULL;
	uint64_t wait = hyb_clock_second() / PATIENCE;
	int err;

	if (now < s->ask_at)
		return;
	/* After some seconds ever more rarely. */
	s->asked_first = s->asked_first ? s->asked_first : now;
	s->ask_at = now + (wait > (now - s->asked_first) / 256 ? wait : (now - s->asked_first) / 256);
	err = way->ask(&s->ask, &slot);
	if (!err) {
		s->slot = slot;
		s->used = 0;
		begin_sums(t, now);
	} else if (err != -EAGAIN) {
		do_without(t, now);
	}
}

/* True: something was written. */
static bool look(struct hyb_thread *t, uint64_t now)
{
	struct hyb_sums *s = t->sums;
	uint32_t changed;

	if (!s->slot) {
		ask(t, now);
		return false;
	}
	if (s->slot == s->own)
		way->look(s->own, s->more);
	else
		t->kernel_seen = __atomic_load_n(t->kernel_turn, __ATOMIC_RELAXED);
	/* Nothing is in the middle of being changed: the kernel has done with this thread when it runs. */
	look_for_nodes(s, true);
	changed = mark_changed(s);
	if (!changed || !hyb_counted_room(t, 2 + (size_t)changed * ENTRY, now))
		return false;
	put_record(t, now, changed, false);
	return true;
}

void hyb_sums_enter(struct hyb_thread *t)
{
	/* Not in a copy of the process: what is in the slot is its parent's. */
	if (!hyb_recorder_is_recording())
		return;
	for (int i = 0; i < TURNS && hyb_kernel_moved(t); i++)
		if (!look(t, hyb_counter()) || t->sums->slot == t->sums->own)
			break;
}

void hyb_sums_leave(struct hyb_thread *t, uint64_t now)
{
	if (hyb_recorder_is_recording())
		look(t, now);
}

void hyb_sums_begin(struct hyb_thread *t, uint64_t now)
{
	struct hyb_sums *s;

	/* acquire pairs with the release in hyb_sums_by */
	if (t->sums || !__atomic_load_n(&way, __ATOMIC_ACQUIRE))
		return;
	s = take();
	if (!s)
		return;
	t->sums = s;
	t->kernel_turn = &never;
	t->kernel_seen = UINT64_MAX;
	t->counted |= HYB_COUNTED_KERNEL;
	ask(t, now);
}

void hyb_sums_end(struct hyb_thread *t)
{
	struct hyb_sums *s = t->sums;
	struct hyb_kernel_slot *own;

	if (!s)
		return;
	t->counted &= (uint8_t)~HYB_COUNTED_KERNEL;
	if (hyb_recorder_is_recording()) {
		if (s->slot && t->pos)
			look(t, hyb_counter());
		way->forget(&s->ask);
		if (s->slot && s->slot != s->own)
			HYB_SYS(munmap, s->slot, HYB_SLOT_SIZE, 0, 0, 0, 0);
	}
	t->sums = NULL;
	own = s->own;
	s->slot = NULL;
	s->own = own;
	give_back(s);
}
