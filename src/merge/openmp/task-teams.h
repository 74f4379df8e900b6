/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In which team a task was created, for threads that come to it from elsewhere: OpenMP runtimes have threads of their
 * own for tasks that nobody waits for, and any thread may fulfil the event of a task. A thread numbers its tasks one
 * after the other, and is in the same team for many of them: so this is a list of runs of numbers, as long as teams
 * change, however many tasks there are.
 */
#ifndef HYB_MERGE_OPENMP_TASK_TEAMS_H
#define HYB_MERGE_OPENMP_TASK_TEAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HYB_TASK_TEAMS_ALONE (UINT32_MAX - 1)	/* instead of a group: outside of any team */

struct hyb_task_teams_run {
	uint64_t first;		/* task */
	uint32_t count;
	uint32_t group;		/* in struct hyb_teams */
};

/* Those of a process; all zero: none. */
struct hyb_task_teams {
	struct hyb_task_teams_run *runs;	/* by task */
	size_t count;
	size_t room;
	bool wrapped;		/* some thread has used numbers again: nothing can be told by them */
	bool elsewhere;		/* some thread has come to a task from outside of its team */
};

/* Takes in a task, threads by their numbers, each one's in the order in which it created them. 0 or -ENOMEM. */
int hyb_task_teams_note(struct hyb_task_teams *created, uint64_t task, uint32_t group);
/* Whether it is known where that task was created, and in which group. */
bool hyb_task_teams_find(const struct hyb_task_teams *created, uint64_t task, uint32_t *group);
/* Whether the thread of that stream has created tasks outside of any team. */
bool hyb_task_teams_alone(const struct hyb_task_teams *created, uint32_t stream);
void hyb_task_teams_free(struct hyb_task_teams *created);

#endif
