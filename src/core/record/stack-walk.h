/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a place in the library up the calling thread's stack, frame by frame, by what the unwind tables say. A rule is
 * looked for once for each return address, and kept by the thread. No lock, no allocation and no system call where the
 * rules are known and the stack is the thread's own; another one (a signal's, a fiber's) is read by system calls, since
 * nobody says how far it goes.
 */
#ifndef HYB_CORE_RECORD_STACK_WALK_H
#define HYB_CORE_RECORD_STACK_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sys/compiler.h"
#include "format/format.h"
#include "core/unwind/unwind.h"

#define HYB_STACK_RULES 1024	/* a power of two */
#define HYB_STACK_WINDOW 512

/* Of another stack than the thread's own may be read what is there. Of its own this, which ASan has marked in part. */
#if defined(__SANITIZE_ADDRESS__)
#define HYB_STACK_READS static __attribute__((noinline, unused, no_sanitize("address")))
#else
#define HYB_STACK_READS static HYB_HOT
#endif

/* As the processor has them where some instruction is to be executed next. */
struct hyb_stack_registers {
	uintptr_t pc;
	uintptr_t sp;
	uintptr_t fp;
};

struct hyb_stack_rule {
	uintptr_t pc;		/* 0: none is here */
	uint32_t object;	/* that this lies in, which is defined; 0: none */
	struct hyb_unwind_rule rule;
};

/* A place on the stack that decided which way it went, and what was there. */
struct hyb_stack_check {
	const uintptr_t *at;
	uintptr_t value;
};

struct hyb_stack_frame {
	uintptr_t address;	/* behind the call */
	uint32_t object;
};

/* What walks of one thread share. */
struct hyb_stack_walking {
	uintptr_t low;		/* of the thread's own stack, as far as that can be read; both 0: not known */
	uintptr_t high;
	uintptr_t window_at;	/* of another stack: what was read of it in this walk */
	size_t window_size;
	uintptr_t window[HYB_STACK_WINDOW];
	struct hyb_stack_rule rules[HYB_STACK_RULES];
};

/* Which frames are the program's: those from here on. */
struct hyb_stack_begin {
	uintptr_t address;	/* that the program's innermost frame goes on at; 0: not known */
	uintptr_t above;	/* which is stored above this on the stack */
	unsigned int skip;	/* address 0: leave out the frames of so many objects, the library's being the first */
};

struct hyb_stack_walk {
	/* in */
	struct hyb_stack_registers from;
	struct hyb_stack_begin begin;
	uint32_t most;			/* frames wanted */
	uint32_t most_checks;
	/* out */
	struct hyb_stack_frame *frames;	/* the innermost first; room for `most` */
	uint32_t count;			/* 0: nothing is known */
	enum hyb_frame_end end;
	struct hyb_stack_check *checks;
	uint32_t check_count;
	bool checked;			/* they are all that it depends on, with `from` but for its fp */
	bool uses_fp;			/* and that */
};

/* A thread begins: where its stack is. */
void hyb_stack_bounds(struct hyb_stack_walking *w);
void hyb_stack_forget_rules(struct hyb_stack_walking *w);
void hyb_stack_go(struct hyb_stack_walking *w, struct hyb_stack_walk *walk);

static HYB_HOT bool hyb_stack_is_own(const struct hyb_stack_walking *w, uintptr_t at)
{
	return hyb_likely(at - w->low < w->high - w->low);
}

#endif
