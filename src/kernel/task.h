/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the collector knows of tasks: which are of the job, which are its own, and what is to be seen of others.
 *
 * A task has two numbers: the kernel's own, which tracepoints have, and that in the collector's pid namespace, which
 * everything else has. Where the collector is in the first namespace they are the same; elsewhere the
 * one is learnt from records that have both.
 */
#ifndef HYB_KERNEL_TASK_H
#define HYB_KERNEL_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"
#include "record/record.h"

struct hyb_task {
	uint32_t id;		/* the kernel's number */
	uint32_t tid;
	uint32_t tgid;
	uint32_t parent;
	uint32_t shown;		/* id, or HYB_TASK_OTHER */
	enum hyb_task_kind kind;
	bool defined;		/* in the DEFS stream, as it is now */
	uint64_t start;
	char name[16];
};

/* all: the details of all tasks are wanted, and may be. */
void hyb_tasks_start(bool all);
/* Whether they are recorded. */
bool hyb_tasks_all(void);
/* Whether both numbers of a task are the same. */
bool hyb_tasks_first_namespace(void);
/* No record will have the kernel's own numbers: tasks are named by those of our namespace. */
void hyb_tasks_use_tids(void);
/* Process tgid, with all its threads, is of the job from now on. 0 or -ENOMEM. */
int hyb_tasks_add_process(uint32_t tgid);
bool hyb_tasks_is_job(uint32_t tgid);
/*
 * Whether this user may look into it, as the kernel has it for ptrace and perf: it is his own, no program with rights
 * that he lacks (set-uid, set-gid, capabilities), and none that he may not read. Root may have all.
 */
bool hyb_tasks_is_users(uint32_t tgid);
/* All others leave the job. */
void hyb_tasks_keep(bool (*is_sure)(uint32_t tgid));
/* It is of the job no more; the kernel itself shows nothing of it from here on. */
void hyb_tasks_left(uint32_t tgid);
/*
 * The task with the kernel's number id and these in our namespace, which a record has shown to be current. NULL
 * without memory.
 */
struct hyb_task *hyb_tasks_current(uint32_t id, uint32_t tgid, uint32_t tid);
/* The same for records that have no number of the kernel's; NULL also where that is not known. */
struct hyb_task *hyb_tasks_by_tid(uint32_t tgid, uint32_t tid);
/* A task that something happened to; name may be NULL. NULL: nothing is known of it. */
struct hyb_task *hyb_tasks_find(uint32_t id, const char *name);
/* Thread tid of tgid began; ptid, a thread of ptgid, made it. A new process is of the job if its parent is, or not. */
void hyb_tasks_forked(uint32_t tgid, uint32_t tid, uint32_t ptgid, uint32_t ptid, uint64_t now);
/* It is not known of all processes that began whose they are: what is not surely the user's leaves the job. */
void hyb_tasks_recheck(void);
/*
 * Where it is only seen afterwards that another program was executed: before records of that are looked for, and for
 * each there is. What is not this user's, or is gone before that could be seen, leaves the job; what is
 * executed twice in a round does, too, since nobody saw the first. Whether there were some since this was last asked,
 * and may be more; after the last try those leave the job as well.
 */
void hyb_tasks_round(void);
void hyb_tasks_executed(uint32_t tgid);
bool hyb_tasks_more(bool last);
/* It has a new name. */
void hyb_tasks_renamed(uint32_t tgid, uint32_t tid, const char *name, uint64_t now);
/* Writes the definition of a task that is going to be named. */
void hyb_tasks_define(struct hyb_task *task) HYB_COLD;

/* What stands for the task in a record: 0 is idle. */
static inline uint32_t hyb_task_shown(struct hyb_task *task)
{
	if (!task)
		return HYB_TASK_OTHER;
	if (hyb_unlikely(!task->defined) && task->shown != HYB_TASK_OTHER)
		hyb_tasks_define(task);
	return task->shown;
}

#endif
