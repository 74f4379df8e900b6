/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of several ends of a task counts. */
#include "format/format.h"
#include "merge/openmp/task-ends.h"
#include "../lib/tap.h"

static uint64_t word(uint64_t task, enum hyb_task_end end)
{
	return (uint64_t)HYB_TASK_COMPLETE << HYB_TYPE_SHIFT | (uint64_t)end << 48 | task;
}

int main(void)
{
	const uint64_t task = UINT64_C(7) << 32 | 4336, other = UINT64_C(7) << 32 | 4337;
	const uint64_t part = word(task, HYB_TASK_CANCELLED), rest = word(task, HYB_TASK_DISCARDED);
	struct hyb_task_ends ends = { 0 };

	tap(hyb_task_ends_counts(&ends, word(task, HYB_TASK_ENDED), 1, 50), "an end counts");
	tap(hyb_task_ends_counts(&ends, rest, 1, 50), "that of a task that was never begun counts");
	tap(!hyb_task_ends_note(&ends, word(other, HYB_TASK_ENDED), 1, 10) && !ends.table.entry_size &&
		    !hyb_task_ends_note(&ends, rest, 1, 60) && !ends.table.entry_size,
	    "nothing is kept of them");
	tap(!hyb_task_ends_note(&ends, part, 1, 50) && !hyb_task_ends_note(&ends, part, 2, 52) &&
		    !hyb_task_ends_note(&ends, part, 3, 51) && !hyb_task_ends_note(&ends, part, 1, 52),
	    "ends of parts are noted");
	tap(!hyb_task_ends_counts(&ends, part, 1, 50) && !hyb_task_ends_counts(&ends, part, 3, 51) &&
		    !hyb_task_ends_counts(&ends, part, 1, 52) && hyb_task_ends_counts(&ends, part, 2, 52),
	    "of parts that were executed the last counts, whichever thread's is read first");
	tap(!hyb_task_ends_counts(&ends, rest, 1, 40) && !hyb_task_ends_counts(&ends, rest, 2, 60),
	    "a part that was left out does not count then");
	tap(hyb_task_ends_counts(&ends, word(other, HYB_TASK_DISCARDED), 1, 40), "another task's does");
	hyb_task_ends_free(&ends);
	return tap_done();
}
