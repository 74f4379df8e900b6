/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel did to a thread in each of its regions, as HYB_KERNEL_SUMS records: in profiles, which have no events
 * of the kernel. Programs in the kernel add it up in memory that the thread can read (format/kernel-slot.h). At each
 * Enter and Leave the thread compares one word of that with what it was the last time. Only where it differs, what came
 * in between is written, before the Enter or Leave, and belongs to the region that is the innermost one there.
 *
 * Who knows how to come to a slot hands that in. Without one it may look itself at what every thread is told of itself,
 * with system calls at each Enter and Leave.
 *
 * The hot path (record.h) asks hyb_self.counted, as for counters.
 */
#ifndef HYB_CORE_RECORD_SUMS_H
#define HYB_CORE_RECORD_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sys/compiler.h"
#include "format/kernel-slot.h"

struct hyb_thread;

/* A thread that has asked and has no answer yet. All zero: it has not asked. */
struct hyb_sums_ask {
	long socket;	/* plus 1 */
	uint64_t inode;	/* of that: programs close what they do not know */
};

struct hyb_sums_way {
	/*
	 * For the calling thread: its slot, mapped, or -EAGAIN: there is none yet, it is to be called again; or another
	 * -errno: there will be none. Keeps errno.
	 */
	int (*ask)(struct hyb_sums_ask *ask, const struct hyb_kernel_slot **slot);
	/* It will not be called again. */
	void (*forget)(struct hyb_sums_ask *ask);
	/*
	 * Instead of a slot: brings up to date what the thread itself may know, in memory that begins with zeroes and is
	 * the thread's; `more` is for the function's own use. NULL: nothing. Keeps errno.
	 */
	void (*look)(struct hyb_kernel_slot *slot, uint64_t more[8]);
};

/* From here on threads that get a stream have this; what it points to stays. Once. */
void hyb_sums_by(const struct hyb_sums_way *way);

/* A thread has its stream, and room in it. */
void hyb_sums_begin(struct hyb_thread *t, uint64_t now);
/* It ends, or its process: what has come since it looked last is written. */
void hyb_sums_end(struct hyb_thread *t);

/* An Enter is about to be written, its time is to be read after this; or a Leave or mark at `now`. */
HYB_EXPORT void hyb_sums_enter(struct hyb_thread *t) HYB_COLD;
HYB_EXPORT void hyb_sums_leave(struct hyb_thread *t, uint64_t now) HYB_COLD;

#endif
