/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who called whom, from the registers of a thread and a copy of its stack: by the tables that programs and libraries
 * have for exceptions, with elfutils. Code needs no frame pointers for it. Not thread-safe: each reading has its own.
 */
#ifndef HYB_READER_SYMBOLS_UNWIND_H
#define HYB_READER_SYMBOLS_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/streams/kdefs.h"

enum hyb_unwind_end {
	HYB_UNWIND_WHOLE,
	HYB_UNWIND_SHORT, /* it goes on where the copy ends */
	HYB_UNWIND_LOST,  /* some code has no tables, or a register or the stack is not what they say */
	HYB_UNWIND_ENDS,
};

/* When a mapping was made, ns of system time: a file that was changed after that is not what ran. */
typedef int64_t (*hyb_unwind_mapped)(void *arg, const struct hyb_kmapping *mapping);

struct hyb_unwinder;

/* Of the processes in these definitions. vdso: the file with the kernel's code in programs. NULL without memory. */
struct hyb_unwinder *hyb_unwinder_new(const struct hyb_kdefs *defs, const char *vdso, hyb_unwind_mapped mapped, void *arg);
void hyb_unwinder_free(struct hyb_unwinder *u);
/* Whether this program was built with what it needs. */
bool hyb_unwinder_can(void);
/*
 * Unwinds a STACK_COPY of a process, with what it had mapped at `time`. 0, with one address at least, valid until the
 * next call; -EINVAL: the copy makes no sense; -ENOTSUP; -ENOMEM.
 */
int hyb_unwinder_run(struct hyb_unwinder *u, uint32_t tgid, uint64_t time, const uint64_t *copy, size_t words,
		     struct hyb_kunwound *unwound, enum hyb_unwind_end *end);

#endif
