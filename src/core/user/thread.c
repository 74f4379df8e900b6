/* SPDX-License-Identifier: BSD-3-Clause */
/* What each thread keeps of the program's regions, and the slow paths of user.h. */
#include "core/user/user.h"

#include <errno.h>
#include <string.h>

#include "core/sys/sys.h"
#include "core/record/nesting.h"
#include "core/record/thread.h"

#define STACK_FIRST 128

__thread struct hyb_user_thread hyb_user_self __attribute__((tls_model("initial-exec")));

static void free_own(void)
{
	struct hyb_user_thread *u = &hyb_user_self;

	if (u->base)
		hyb_sys_unmap(u->base, (size_t)((char *)u->limit - (char *)u->base));
	if (u->values)
		hyb_sys_unmap(u->values, u->value_room * sizeof(*u->values));
	memset(u, 0, sizeof(*u));
}

bool hyb_user_grow(struct hyb_user_thread *u)
{
	size_t depth = (size_t)(u->top - u->base);
	size_t room = depth ? 2 * depth : STACK_FIRST;
	size_t size = (room * sizeof(*u->base) + 4095) & ~(size_t)4095;
	struct hyb_user_open *stack = hyb_sys_map_anonymous(size, 0);
	uint64_t signals;

	if (!stack)
		return false;
	/* A handler that leaves this by longjmp is to find one of the two whole. */
	hyb_sys_block_signals(&signals);
	if (depth) {
		memcpy(stack, u->base, depth * sizeof(*stack));
		hyb_sys_unmap(u->base, (size_t)((char *)u->limit - (char *)u->base));
	}
	u->base = stack;
	u->top = stack + depth;
	u->limit = stack + size / sizeof(*stack);
	hyb_sys_restore_signals(&signals);
	return true;
}

/* Whoever comes first: where the process was recorded into is to be told in one without MPI, too. */
static void note_use(void)
{
	static int noted;

	if (__atomic_exchange_n(&noted, 1, __ATOMIC_RELAXED))
		return;
	hyb_nesting_wrappers((const void *)(uintptr_t)hyb_user_starts);
	hyb_thread_at_end(free_own);
	hyb_process_tell_later(HYB_TELL_AT_END);
}

bool hyb_user_starts(void)
{
	int saved = errno;
	bool recorded;

	if (hyb_process_state() > HYB_PROCESS_RECORDING)
		return false;
	recorded = hyb_process_start();
	if (recorded)
		note_use();
	errno = saved;
	return recorded;
}

bool hyb_user_turns_on(enum hyb_user_group group)
{
	return hyb_user_starts() && !hyb_user_is_off(group);
}

void hyb_user_push_silent(uint64_t what, uint32_t region)
{
	struct hyb_user_thread *u = &hyb_user_self;
	struct hyb_thread *t = &hyb_self;
	struct hyb_frame guard;

	if (HYB_USER_NESTED(t))
		return;
	hyb_guard(t, &guard);
	if (u->top != u->limit || hyb_user_grow(u))
		*u->top++ = (struct hyb_user_open){ .what = what, .region = region };
	hyb_unguard(t);
}

struct hyb_user_open *hyb_user_find(const struct hyb_user_thread *u, uint64_t what)
{
	struct hyb_user_open *open = u->top;

	while (open != u->base) {
		if ((--open)->what == what)
			return open;
	}
	return NULL;
}

uint64_t *hyb_user_write_slow(bool enter, uint32_t region, uint64_t now)
{
	struct hyb_thread *t = &hyb_self;
	uint64_t *p;

	if (t->pos >= t->end || now >> HYB_TIME_BITS != t->epoch) {
		if (!hyb_thread_make_room(t, now))
			return NULL;
	}
	p = t->pos;
	if (region <= HYB_ID_MASK) {
		*p++ = hyb_head(enter ? HYB_ENTER : HYB_LEAVE, region, now);
	} else {
		*p++ = hyb_head(enter ? HYB_ENTER_WIDE : HYB_LEAVE_WIDE, 0, now);
		*p++ = region;
	}
	if (enter)
		p = hyb_stack_attach(region, p, HYB_STACK_PROGRAM, NULL);
	hyb_publish(p);
	return p;
}

void hyb_user_stray(uint32_t region)
{
	if (region != HYB_USER_LEFT_OUT && region & HYB_USER_BRIEF_ID)
		region &= HYB_USER_REGION_MASK;
	if (region && region != HYB_USER_LEFT_OUT)
		hyb_user_write_slow(false, region, hyb_counter());
}
