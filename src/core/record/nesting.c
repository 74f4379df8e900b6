/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where calls come from; see nesting.h. The walk is GCC's unwinder, which is linked in: nothing is loaded for it, and
 * it takes no lock where glibc has _dl_find_object, so it works in signal handlers, too. It is made only for calls that
 * a callback of the program makes inside of MPI, and after a longjmp.
 */
#include "core/record/nesting.h"

#include <link.h>
#include <stddef.h>
#include <unwind.h>

#include "core/sys/sys.h"

#define OBJECTS 24	/* of MPI's libraries and other tools there are a few; more are walked from */

struct object {
	uintptr_t begin;	/* release, after the size that was before is gone */
	uintptr_t size;		/* 0: it is gone; set after the rest (release) */
	bool wrappers;
};

static struct object objects[OBJECTS];
static unsigned int object_count;

static const struct object *find_object(uintptr_t at)
{
	/* Pairs with the release in add(). */
	unsigned int count = __atomic_load_n(&object_count, __ATOMIC_ACQUIRE);

	for (unsigned int i = 0; i < count; i++) {
		/* Each pairs with the release in add(): who sees another's begin sees another size in the end. */
		const uintptr_t size = __atomic_load_n(&objects[i].size, __ATOMIC_ACQUIRE);

		if (at - __atomic_load_n(&objects[i].begin, __ATOMIC_ACQUIRE) < size &&
		    __atomic_load_n(&objects[i].size, __ATOMIC_RELAXED) == size)
			return &objects[i];
	}
	return NULL;
}

struct search {
	uintptr_t at;
	struct object found;
	unsigned int seen;
};

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *s = data;
	uintptr_t end = 0;
	bool has = false;

	(void)size;
	s->found = (struct object){ .begin = UINTPTR_MAX };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + h->p_vaddr;

		if (h->p_type != PT_LOAD)
			continue;
		has |= s->at - begin < h->p_memsz;
		if (begin < s->found.begin)
			s->found.begin = begin;
		if (begin + h->p_memsz > end)
			end = begin + h->p_memsz;
	}
	s->found.size = end - s->found.begin;
	return has ? 1 : (s->seen++, 0);
}

static int lock;


/* One that is gone, or one more; NULL: there are too many. */
static struct object *free_object(void)
{
	for (unsigned int i = 0; i < object_count; i++) {
		if (!objects[i].size)
			return &objects[i];
	}
	return object_count < OBJECTS ? &objects[object_count] : NULL;
}

/* The program itself is what calls. */
static void add(const void *function, bool wrappers)
{
	struct search s = { .at = (uintptr_t)function };
	uint64_t blocked, signals;
	struct object *o;

	if (find_object(s.at))
		return;
	/* A handler that leaves by longjmp would leave the dynamic linker's lock held. */
	hyb_sys_block_signals(&blocked);
	if (!dl_iterate_phdr(visit, &s) || (!s.seen && !wrappers)) {
		hyb_sys_restore_signals(&blocked);
		return;
	}
	hyb_sys_lock(&lock, &signals);
	o = find_object(s.at) ? NULL : free_object();
	if (o) {
		__atomic_store_n(&o->begin, s.found.begin, __ATOMIC_RELEASE);
		__atomic_store_n(&o->wrappers, wrappers, __ATOMIC_RELAXED);
		__atomic_store_n(&o->size, s.found.size, __ATOMIC_RELEASE);
		if (o == objects + object_count)
			__atomic_store_n(&object_count, object_count + 1, __ATOMIC_RELEASE);
	}
	hyb_sys_unlock(&lock, &signals);
	hyb_sys_restore_signals(&blocked);
}

void hyb_nesting_forget(const void *inside)
{
	const uintptr_t at = (uintptr_t)inside;
	uint64_t signals;

	hyb_sys_lock(&lock, &signals);
	for (unsigned int i = 0; i < object_count; i++) {
		if (at - objects[i].begin < objects[i].size)
			__atomic_store_n(&objects[i].size, 0, __ATOMIC_RELEASE);
	}
	hyb_sys_unlock(&lock, &signals);
}

void hyb_nesting_called(const void *function)
{
	add(function, false);
}

void hyb_nesting_wrappers(const void *function)
{
	add(function, true);
}

bool hyb_nesting_is_called(const void *site)
{
	const struct object *object = find_object((uintptr_t)site);

	return object && !__atomic_load_n(&object->wrappers, __ATOMIC_RELAXED);
}

#define LINKS 8

/*
 * The last way that was found from a callback's call up to MPI: where each return address on it stands. While all of
 * them do, the functions are the same ones at the same places, and the last was called by MPI.
 */
struct way {
	uintptr_t frame;
	uintptr_t inner;
	const void *site;
	unsigned int count;	/* 0: there is none */
	bool whole;
	struct {
		const uintptr_t *at;
		uintptr_t value;
	} links[LINKS];
};

static __thread struct way known __attribute__((tls_model("initial-exec")));

static bool is_known(uintptr_t frame, uintptr_t inner, const void *site)
{
	const struct way *way = &known;

	if (!way->count || way->frame != frame || way->inner != inner || way->site != site)
		return false;
	for (unsigned int i = 0; i < way->count; i++) {
		if (*way->links[i].at != way->links[i].value)
			return false;
	}
	return true;
}

struct walk {
	struct way way;
	uintptr_t frame;
	uintptr_t from;		/* where the stack frame of the function below begins */
	uintptr_t at;		/* where that function goes on; 0: the thread's first */
	bool crossed;
};

/* Only where a return address lies just below the frame of the function that it leads to. */
static void add_link(struct way *way, uintptr_t begin, uintptr_t ip)
{
#ifdef __x86_64__
	const uintptr_t *at = (const uintptr_t *)begin - 1;

	if (begin < way->inner || way->whole)
		return;
	if (way->count == LINKS || *at != ip) {
		way->count = 0;
		way->inner = UINTPTR_MAX;
		return;
	}
	way->links[way->count].at = at;
	way->links[way->count++].value = ip;
	way->whole = hyb_nesting_is_called((const void *)ip);
#else
	(void)way;
	(void)begin;
	(void)ip;
#endif
}

/* The frame of the function before reaches from what was told with it to what is told now. */
static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *arg)
{
	struct walk *w = arg;
	uintptr_t to = _Unwind_GetCFA(context);

	w->crossed = w->from && w->from <= w->frame && w->frame < to;
	if (w->crossed)
		return _URC_NORMAL_STOP;
	w->from = to;
	w->at = _Unwind_GetIP(context);
	add_link(&w->way, to, w->at);
	return _URC_NO_REASON;
}

enum hyb_nesting hyb_nesting_find(uintptr_t frame, uintptr_t inner, const void *site)
{
	struct walk w = { .frame = frame, .way = { .frame = frame, .inner = inner, .site = site } };
	const struct object *object;

	if (is_known(frame, inner, site))
		return HYB_NESTING_INSIDE;
	_Unwind_Backtrace(step, &w);
	if (!w.crossed)
		return w.at ? HYB_NESTING_UNKNOWN : HYB_NESTING_ELSEWHERE;
	object = find_object(w.at);
	if (!object || !__atomic_load_n(&object->wrappers, __ATOMIC_RELAXED))
		return HYB_NESTING_NOT;
	/* Not told of a handler that comes in between: it sees none, or the old one whole. */
	known.count = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (w.way.whole) {
		unsigned int count = w.way.count;

		w.way.count = 0;
		known = w.way;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		known.count = count;
	}
	return HYB_NESTING_INSIDE;
}
