/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which end of a task counts where runtimes tell of several: see enum hyb_task_end. Only tasks that were cancelled
 * while they were executed are held in memory.
 */
#ifndef HYB_MERGE_OPENMP_TASK_ENDS_H
#define HYB_MERGE_OPENMP_TASK_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/containers/table.h"

/* The ends of a process's tasks that were cancelled while they were executed; all zero: none. */
struct hyb_task_ends {
	struct hyb_table table;
};

/* Takes in word 0 of a TASK_COMPLETE of that stream, at a counter of the process's. 0 or -ENOMEM. */
int hyb_task_ends_note(struct hyb_task_ends *ends, uint64_t word, uint32_t stream, uint64_t counter);
/* Whether this is the end that counts, once all of the process's were taken in. */
bool hyb_task_ends_counts(const struct hyb_task_ends *ends, uint64_t word, uint32_t stream, uint64_t counter);
void hyb_task_ends_free(struct hyb_task_ends *ends);

#endif
