/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the collector knows of tasks: which are of the job, which are the collector's own, and what records show of
 * others.
 *
 * A task has two numbers: the kernel's own, which tracepoints tell, and the one in the collector's pid namespace, which
 * everything else tells. In the first namespace they are the same. Elsewhere records that have both teach which belong
 * together.
 */
#ifndef HYB_COLLECTOR_COMMON_TASK_H
#define HYB_COLLECTOR_COMMON_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"
#include "core/record/record.h"

struct hyb_task {
	uint32_t id;		/* the kernel's own number */
	uint32_t tid;
	uint32_t tgid;
	uint32_t parent;
	uint32_t shown;		/* what records have for it: id, or HYB_TASK_OTHER */
	enum hyb_task_kind kind;
	bool defined;		/* the DEFS stream has the definition of it as it is now */
	uint64_t start;
	char name[16];
};

/* all: the details of all tasks are recorded. The caller knows that this user may have them. */
void hyb_tasks_start(bool all);
/* Whether the details of all tasks are recorded. */
bool hyb_tasks_all(void);
/* Whether this is the first pid namespace, so that both numbers of a task are the same. */
bool hyb_tasks_first_namespace(void);
/* No record will have the kernel's own numbers: id is the number in this namespace. */
void hyb_tasks_use_tids(void);
/* Process tgid and all its threads are of the job from now on. 0 or -ENOMEM. */
int hyb_tasks_add_process(uint32_t tgid);
bool hyb_tasks_is_job(uint32_t tgid);
/* Whether this user may look into the process (rights.h). If so, the program that it runs is remembered. */
bool hyb_tasks_is_users(uint32_t tgid);
/* All processes of the job leave it, except those that is_sure is true of. */
void hyb_tasks_keep(bool (*is_sure)(uint32_t tgid));
/* The process is not of the job any more. The source has no records of it from here on. */
void hyb_tasks_left(uint32_t tgid);
/*
 * The task with these numbers, the kernel's own and those in this namespace, which was current when the kernel wrote a
 * record. NULL: there is no memory.
 */
struct hyb_task *hyb_tasks_current(uint32_t id, uint32_t tgid, uint32_t tid);
/* The same for a record without the kernel's own number. NULL: also if that number is not known. */
struct hyb_task *hyb_tasks_by_tid(uint32_t tgid, uint32_t tid);
/* A task that is not the current one, by the kernel's own number; name may be NULL. NULL: it is not known. */
struct hyb_task *hyb_tasks_find(uint32_t id, const char *name);
/* Thread tid of tgid began; thread ptid of ptgid made it. A new process is of the job if its parent is. */
void hyb_tasks_forked(uint32_t tgid, uint32_t tid, uint32_t ptgid, uint32_t ptid, uint64_t now);
/* Records of forks were lost: each process that does not run the program last looked at leaves the job. */
void hyb_tasks_recheck(void);
/*
 * For a source that sees only afterwards that a process executed another program, whose rights may not be this user's.
 * It reads its records in rounds. hyb_tasks_round begins one. hyb_tasks_executed takes a record and looks at the
 * process: it leaves the job if its rights are not the user's, if it is gone, or if this is the second one in the
 * round, since nobody looked at the first program. Looking takes time, in which the process may execute once more. So
 * hyb_tasks_more says whether there were such records since it was last called, and the source has to read on. With
 * `last` it does not, and all processes that executed in this round leave the job.
 */
void hyb_tasks_round(void);
void hyb_tasks_executed(uint32_t tgid);
bool hyb_tasks_more(bool last);
/* The task has a new name. */
void hyb_tasks_renamed(uint32_t tgid, uint32_t tid, const char *name, uint64_t now);
/* Writes the definition of a task that a record is going to name. */
void hyb_tasks_define(struct hyb_task *task) HYB_COLD;

/* What records have for the task, which is defined first. 0: idle. */
static inline uint32_t hyb_task_shown(struct hyb_task *task)
{
	if (!task)
		return HYB_TASK_OTHER;
	if (hyb_unlikely(!task->defined) && task->shown != HYB_TASK_OTHER)
		hyb_tasks_define(task);
	return task->shown;
}

#endif
