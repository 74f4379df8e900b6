/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of calls; see stack.h. */
#include "core/record/stack.h"

#include <string.h>

#include "core/config/config.h"
#include "core/sys/intern.h"
#include "core/sys/log.h"
#include "core/sys/memory.h"
#include "core/record/definitions.h"
#include "core/record/objects.h"
#include "core/record/stack-walk.h"

#define WALKS_MOST 128		/* powers of two */
#define WALKS_LEAST 16
#define WALKS_MEMORY ((size_t)2 << 20)
#define TOLD 1024

/* One that was made, and what it depends on. */
struct walk {
	struct hyb_stack_registers from;
	struct hyb_stack_begin begin;
	uint32_t id;
	uint32_t count;		/* 0: none is here */
	uint32_t generation;	/* the thread's, to which it belongs */
	bool uses_fp;
	struct hyb_stack_check checks[];
};

/* What was told last of a region, as far as it is in this place of the table. */
struct told {
	uint32_t region;	/* plus 1 */
	uint32_t id;
	uint64_t seq;		/* of the chunk */
};

struct hyb_stacks {
	uint32_t turn;		/* hyb_objects_turn, up to which all that is known holds */
	uint32_t generation;	/* how often all that was known was given up */
	uint32_t most;		/* frames */
	uint32_t most_checks;
	uint32_t mask;		/* of walks */
	size_t walk_size;
	uintptr_t busy;		/* the frame of who is at work here: a handler may interrupt it. 0: nobody is */
	struct told told[TOLD];
	uint64_t sites[HYB_STANDING_REGIONS];	/* with_stacks of struct hyb_sites */
	struct hyb_stack_walking walking;
	struct hyb_stack_frame *frames;
	struct hyb_stack_check *checks;
	unsigned char *walks;
};

struct frame {
	struct hyb_interned in;
	struct hyb_def_frame def;
};

static struct hyb_intern frames;
static uint32_t last_frame;	/* under the lock of the table */

static bool same_frame(const struct hyb_interned *entry, const void *key)
{
	return !memcmp(&((const struct frame *)entry)->def, key, sizeof(struct hyb_def_frame));
}

static struct hyb_interned *make_frame(const void *key)
{
	struct frame *made = hyb_alloc(sizeof(*made));

	if (!made)
		return NULL;
	memcpy(&made->def, key, sizeof(made->def));
	made->in.id = ++last_frame;
	hyb_def_record(HYB_DEF_FRAME, made->in.id, &made->def, sizeof(made->def), NULL, 0);
	return &made->in;
}

/* The number of a frame that is called by that of number `caller`, defined if it is new; 0 without memory. */
static uint32_t define(const struct hyb_stack_frame *frame, uint32_t caller, enum hyb_frame_end end)
{
	const struct hyb_def_frame def = {
		.address = (frame->address & ((UINT64_C(1) << HYB_FRAME_END_SHIFT) - 1)) |
			   (uint64_t)end << HYB_FRAME_END_SHIFT,
		.caller = caller | (uint64_t)frame->object << HYB_FRAME_OBJECT_SHIFT,
	};
	const struct hyb_interned *found =
		hyb_intern_get(&frames, hyb_intern_hash(0, &def, sizeof(def)), same_frame, make_frame, &def);

	return found ? found->id : 0;
}

static uint32_t define_all(const struct hyb_stack_walk *walk)
{
	uint32_t id = 0;

	for (uint32_t i = walk->count; i-- > 0;) {
		id = define(&walk->frames[i], id, i + 1 == walk->count ? walk->end : 0);
		if (!id)
			return 0;
	}
	return id;
}

static struct hyb_stacks *new_stacks(void)
{
	const uint32_t most = (uint32_t)hyb_config.callstack, most_checks = 2 * most + 32;
	const size_t size = sizeof(struct walk) + most_checks * sizeof(struct hyb_stack_check);
	uint32_t walks = WALKS_MOST;
	struct hyb_stacks *k;

	while (walks > WALKS_LEAST && walks * size > WALKS_MEMORY)
		walks /= 2;
	k = hyb_alloc_apart(sizeof(*k) + most * sizeof(*k->frames) + (most_checks + 1) * sizeof(*k->checks) + walks * size);
	if (!k)
		return NULL;
	k->most = most;
	k->most_checks = most_checks;
	k->mask = walks - 1;
	k->walk_size = size;
	k->frames = (struct hyb_stack_frame *)(k + 1);
	k->checks = (struct hyb_stack_check *)(k->frames + most);
	k->walks = (unsigned char *)(k->checks + most_checks);
	return k;
}

static HYB_HOT struct walk *walk_at(const struct hyb_stacks *k, uint32_t place)
{
	return (struct walk *)(k->walks + (place & k->mask) * k->walk_size);
}

static HYB_COLD void forget(struct hyb_stacks *k, uint32_t turn)
{
	k->generation++;
	hyb_stack_forget_rules(&k->walking);
	k->turn = turn;
}

void hyb_stacks_begin(struct hyb_sites *sites, bool none)
{
	sites->on = hyb_config.callsite ? HYB_SITES_TOLD : 0;
	if (!hyb_config.callstack || none)
		return;
	if (!HYB_UNWIND_KNOWS) {
		hyb_log_once(HYB_LOG_WARNING, "HYBMON_CALLSTACK: on this processor stacks cannot be followed; none are recorded");
		return;
	}
	if (!sites->stacks)
		sites->stacks = new_stacks();
	if (!sites->stacks)
		return;
	/* Release: another thread may be about to clear them. */
	__atomic_store_n(&sites->with_stacks, sites->stacks->sites, __ATOMIC_RELEASE);
	forget(sites->stacks, __atomic_load_n(&hyb_objects_turn, __ATOMIC_ACQUIRE));
	sites->stacks->busy = 0;
	hyb_stack_bounds(&sites->stacks->walking);
	sites->on |= HYB_SITES_STACKS;
}

HYB_STACK_READS bool still_holds(const struct hyb_stacks *k, const struct walk *w, const struct hyb_stack_registers *from,
				 const struct hyb_stack_begin *begin)
{
	const struct hyb_stack_check *check = w->checks, *end = check + w->count;

	if (w->from.pc != from->pc || w->from.sp != from->sp || w->begin.address != begin->address ||
	    w->generation != k->generation || !w->count ||
	    w->begin.above != begin->above || w->begin.skip != begin->skip || (w->uses_fp && w->from.fp != from->fp))
		return false;
	for (; check != end; check++) {
		if (*check->at != check->value)
			return false;
	}
	return true;
}

static void keep(const struct hyb_stacks *k, struct walk *w, const struct hyb_stack_walk *walk, uint32_t id)
{
	w->count = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	w->from = walk->from;
	w->begin = walk->begin;
	w->uses_fp = walk->uses_fp;
	w->id = id;
	w->generation = k->generation;
	memcpy(w->checks, walk->checks, walk->check_count * sizeof(w->checks[0]));
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	w->count = walk->check_count;
}

/* The stack's number, found by walking. place: of the table, where it can be kept. */
static __attribute__((noinline)) uint32_t walk_up(struct hyb_stacks *k, const struct hyb_stack_registers *from,
						   const struct hyb_stack_begin *begin, uint32_t place)
{
	struct hyb_stack_walk walk = {
		.from = *from,
		.begin = *begin,
		.most = k->most,
		.most_checks = k->most_checks,
		.frames = k->frames,
		.checks = k->checks,
	};
	struct walk *first = walk_at(k, place), *other = walk_at(k, place ^ 1);
	uint32_t id;

	hyb_stack_go(&k->walking, &walk);
	id = define_all(&walk);
	/* Nor where nothing is known need each call find that out. */
	if ((id || !walk.count) && walk.checked && walk.check_count)
		keep(k, first->count && !other->count ? other : first, &walk, id);
	return id;
}

/* The number of the thread's stack; 0: it is not known. */
static HYB_HOT uint32_t take(struct hyb_stacks *k, const struct hyb_stack_registers *from,
			     const struct hyb_stack_begin *begin)
{
	const uint64_t key = (from->sp >> 3 ^ from->pc ^ begin->address << 7) * UINT64_C(0x9e3779b97f4a7c15);
	const uint32_t place = (uint32_t)(key >> 40);
	const uint32_t turn = __atomic_load_n(&hyb_objects_turn, __ATOMIC_ACQUIRE);
	const struct walk *w;
	uint32_t id;

	/* A handler of a thread that is at work here has a frame below; one that left it by longjmp has not. */
	if (hyb_unlikely(k->busy && from->sp < k->busy))
		return 0;
	k->busy = from->sp;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (hyb_unlikely(turn != k->turn))
		forget(k, turn);
	w = walk_at(k, place);
	if (hyb_unlikely(!hyb_stack_is_own(&k->walking, from->sp)))
		id = walk_up(k, from, begin, place);
	else if (hyb_likely(still_holds(k, w, from, begin)))
		id = w->id;
	else if (still_holds(k, w = walk_at(k, place ^ 1), from, begin))
		id = w->id;
	else
		id = walk_up(k, from, begin, place);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	k->busy = 0;
	return id;
}

/* Attaches what is another stack than last time; of a region above 65535 in any case. */
static HYB_HOT uint64_t *put(struct hyb_stacks *k, uint32_t region, uint32_t id, uint64_t *p)
{
	const uint64_t seq = hyb_self.chunk->seq;
	struct told *told = &k->told[region % TOLD];

	if (hyb_likely(told->id == id && told->region == region + 1 && told->seq == seq && region <= HYB_ID_MASK))
		return p;
	*told = (struct told){ .region = region + 1, .id = id, .seq = seq };
	*p = (uint64_t)HYB_STACK << HYB_TYPE_SHIFT | id;
	return p + 1;
}

void hyb_stack_untold(uint32_t region)
{
	const struct hyb_sites *s = hyb_self.sites;

	if (!s || !(s->on & HYB_SITES_STACKS))
		return;
	s->stacks->told[region % TOLD].region = 0;
	if (region < HYB_STANDING_REGIONS)
		__atomic_store_n(&s->stacks->sites[region], 0, __ATOMIC_RELAXED);
}

/* The registers as they are where the function that this stands in goes on. */
#define HERE() \
	{ .pc = (uintptr_t)__builtin_return_address(0), .sp = (uintptr_t)__builtin_dwarf_cfa(), \
	  .fp = *(const uintptr_t *)__builtin_frame_address(0) }

uint64_t *hyb_stack_site(struct hyb_thread *t, uint32_t region, uint64_t *p)
{
	const struct hyb_stack_registers here = HERE();
	const struct hyb_stack_begin begin = { .address = t->site, .above = (uintptr_t)t->frame };
	struct hyb_sites *s = t->sites;
	struct hyb_stacks *k = s->stacks;

	if (s->on & HYB_SITES_TOLD && region < HYB_STANDING_REGIONS &&
	    hyb_unlikely(__atomic_load_n(&k->sites[region], __ATOMIC_RELAXED) != t->site)) {
		hyb_site_known(s, t->site);
		__atomic_store_n(&k->sites[region], t->site, __ATOMIC_RELAXED);
		*p++ = (uint64_t)HYB_SITE << HYB_TYPE_SHIFT | t->site;
	}
	return put(k, region, take(k, &here, &begin), p);
}

uint64_t *hyb_stack_put(uint32_t region, uint64_t *p, enum hyb_stack_caller caller, const void *address)
{
	const struct hyb_stack_registers here = HERE();
	const struct hyb_stack_begin begin = { .address = (uintptr_t)address, .skip = caller };
	struct hyb_stacks *k = hyb_self.sites->stacks;

	return put(k, region, take(k, &here, &begin), p);
}
