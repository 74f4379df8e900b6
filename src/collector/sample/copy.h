/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of stacks: the registers of the program and what lies on its stack at a sample, from which readers find out
 * who called whom where the code has no frame pointers. The collector does not look into them.
 */
#ifndef HYB_COLLECTOR_SAMPLE_COPY_H
#define HYB_COLLECTOR_SAMPLE_COPY_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether this is a machine whose registers are known. */
bool hyb_copy_can(void);
/* Has the event's samples copy so much, 0: nothing. */
void hyb_copy_ask(struct perf_event_attr *attr, unsigned int bytes);
/*
 * From the end of a sample, what perf appends for that: a STACK_COPY of at most `most` words, valid until the next
 * call. *words is how many it has; 0: there is none, as of a thread that is on its way out.
 */
const uint64_t *hyb_copy_make(const uint64_t *from, size_t count, size_t most, size_t *words);

#endif
