/* SPDX-License-Identifier: BSD-3-Clause */
/* What the collector knows of tasks; see task.h. */
#include "collector/common/task.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/clock.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "collector/common/map.h"
#include "collector/common/proc.h"
#include "collector/common/rights.h"
#include "collector/common/source.h"
#include "core/record/definitions.h"

#define FIRST_PID_NAMESPACE "pid:[4026531836]"	/* PROC_PID_INIT_INO, part of the kernel's interface */

static struct {
	struct hyb_map tasks;		/* by the kernel's number */
	struct hyb_map by_tid;		/* where the numbers differ */
	/* In a PID namespace: names of processes when they came into the job, by tgid. They may end before their first
	   record is read. */
	struct hyb_map names;
	struct hyb_map processes;	/* of the job, with the time when each came into it, nanoseconds */
	/* Of a source that sees executions late (task.h): the last round in which a process executed, or began */
	struct hyb_map executed;
	struct hyb_map forked;
	uintptr_t round;		/* 0: the source sees them at once */
	unsigned int executions;	/* in this round */
	bool unknown_said;
	struct hyb_map starts;		/* hyb_rights_look's, of the program that was looked at last */
	bool all;
	bool first;
	uint32_t self;			/* our own tgid */
} known;

void hyb_tasks_start(bool all)
{
	char text[64];

	known.all = all;
	known.self = (uint32_t)getpid();
	known.first = hyb_sys_readlink("/proc/self/ns/pid", text, sizeof(text)) < 0 ||
		      !strcmp(text, FIRST_PID_NAMESPACE);
}

bool hyb_tasks_all(void)
{
	return known.all;
}

bool hyb_tasks_first_namespace(void)
{
	return known.first;
}

void hyb_tasks_use_tids(void)
{
	known.first = true;
}

bool hyb_tasks_is_job(uint32_t tgid)
{
	return hyb_map_get(&known.processes, tgid);
}

bool hyb_tasks_is_users(uint32_t tgid)
{
	uint64_t start = 0;

	if (hyb_rights_look(tgid, &start) != 1)
		return false;
	if (start)
		hyb_map_put(&known.starts, tgid, (void *)(uintptr_t)start);
	return true;
}

/* The kernel's threads are kthreadd, which is number 2, and its children. */
static bool is_kernel_thread(uint32_t tgid)
{
	return tgid == 2 || hyb_proc_parent(tgid) == 2;
}

static enum hyb_task_kind kind_of(uint32_t tgid)
{
	if (tgid && tgid == known.self)
		return HYB_TASK_KIND_HYBMON;
	if (tgid && hyb_tasks_is_job(tgid))
		return HYB_TASK_KIND_JOB;
	return tgid && known.all && known.first && is_kernel_thread(tgid) ? HYB_TASK_KIND_KERNEL :
									    HYB_TASK_KIND_OTHER;
}

/* Sets what the task is, and whether records show it. */
static void classify(struct hyb_task *task)
{
	enum hyb_task_kind kind = kind_of(task->tgid);
	bool ours = kind == HYB_TASK_KIND_JOB || kind == HYB_TASK_KIND_HYBMON;
	uint32_t shown = known.all || ours ? task->id : HYB_TASK_OTHER;

	if (!task->id)
		shown = 0;
	if (kind == task->kind && shown == task->shown)
		return;
	task->kind = kind;
	task->shown = shown;
	task->defined = false;
}

/*
 * The process leaves the job: its details are not for this user any more. Processes that it began in this round leave
 * as well, since nobody knows which rights it had when it began them.
 */
static void leave_job(uint32_t tgid)
{
	if (!hyb_map_take(&known.processes, tgid))
		return;
	for (size_t i = 0; i < known.tasks.room; i++) {
		struct hyb_task *task = known.tasks.entries[i].value;

		if (!task)
			continue;
		if (task->tgid == tgid)
			classify(task);
		else if (task->parent == tgid && known.round &&
			 (uintptr_t)hyb_map_get(&known.forked, task->tgid) == known.round)
			leave_job(task->tgid);
	}
}

void hyb_tasks_left(uint32_t tgid)
{
	hyb_map_take(&known.processes, tgid);
}

/* The name as struct hyb_def_task has it: not always with a zero at the end. */
static void set_name(struct hyb_task *task, const char *name)
{
	memset(task->name, 0, sizeof(task->name));
	memcpy(task->name, name, strnlen(name, sizeof(task->name)));
}

/* Reads a task's name without its end of line. False if the task is gone. */
static bool read_comm(uint32_t tgid, uint32_t tid, char text[32])
{
	char path[64];
	long n;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", tgid, tid);
	n = hyb_sys_read_file(path, text, 32);
	if (n <= 0)
		return false;
	text[n - 1] = 0;
	return true;
}

static void read_name(struct hyb_task *task)
{
	const char *of_process = hyb_map_get(&known.names, task->tgid);
	char text[32];

	if (read_comm(task->tgid, task->tid, text))
		set_name(task, text);
	else if (of_process)
		set_name(task, of_process);
}

/* Keeps the name that a process has as it comes into the job; of one that is gone, its parent's (0: none is known). */
static void keep_name(uint32_t tgid, uint32_t parent)
{
	const char *inherited = hyb_map_get(&known.names, parent);
	char text[32];
	char *name = NULL;

	if (read_comm(tgid, tgid, text))
		name = strdup(text);
	else if (inherited)
		name = strdup(inherited);

	free(hyb_map_take(&known.names, tgid));
	if (name && hyb_map_put(&known.names, tgid, name))
		free(name);
}

static struct hyb_task *make(uint32_t id)
{
	struct hyb_task *task = calloc(1, sizeof(*task));

	if (!task || hyb_map_put(&known.tasks, id, task)) {
		free(task);
		return NULL;
	}
	task->id = id;
	task->shown = HYB_TASK_OTHER;
	if (known.first)
		task->tid = id;
	classify(task);
	return task;
}

static void identify(struct hyb_task *task, uint32_t tgid, uint32_t tid)
{
	task->tid = tid;
	task->tgid = tgid;
	task->defined = false;
	classify(task);
	if (!known.first)
		hyb_map_put(&known.by_tid, tid, task);
	if (!task->name[0] && task->shown != HYB_TASK_OTHER)
		read_name(task);
}

struct hyb_task *hyb_tasks_current(uint32_t id, uint32_t tgid, uint32_t tid)
{
	struct hyb_task *task = hyb_map_get(&known.tasks, id);

	if (!task)
		task = make(id);
	/* A task that ends loses its numbers in the namespace. Here it keeps those that it had. */
	if (task && id && (task->tid != tid || task->tgid != tgid) && (int32_t)tid > 0 && (int32_t)tgid > 0)
		identify(task, tgid, tid);
	return task;
}

struct hyb_task *hyb_tasks_by_tid(uint32_t tgid, uint32_t tid)
{
	return known.first ? hyb_tasks_current(tid, tgid, tid) : hyb_map_get(&known.by_tid, tid);
}

struct hyb_task *hyb_tasks_find(uint32_t id, const char *name)
{
	struct hyb_task *task = hyb_map_get(&known.tasks, id);

	if (!task && (known.all || !id))
		task = make(id);
	if (task && name && !task->name[0])
		set_name(task, name);
	return task;
}

static void add_thread(uint32_t tgid, uint32_t tid)
{
	struct hyb_task *task = hyb_tasks_current(tid, tgid, tid);

	if (!task)
		return;
	classify(task);
	if (!task->name[0])
		read_name(task);
}

/* parent: that began it, 0: it came by itself. */
static int add_process(uint32_t tgid, uint32_t parent, uint64_t now)
{
	int err = hyb_map_put(&known.processes, tgid, (void *)(uintptr_t)now);

	if (!err && known.first)
		hyb_proc_threads(tgid, add_thread);
	else if (!err)
		keep_name(tgid, parent);
	return err;
}

int hyb_tasks_add_process(uint32_t tgid)
{
	return add_process(tgid, 0, hyb_clock_raw());
}

/* The process still runs the program that was looked at last. */
static bool is_unchanged(uint32_t tgid)
{
	uint64_t start = 0;

	return hyb_rights_look(tgid, &start) == 1 && start == (uintptr_t)hyb_map_get(&known.starts, tgid);
}

static bool is_seen(uint32_t tgid)
{
	return (uintptr_t)hyb_map_get(&known.executed, tgid) != known.round;
}

void hyb_tasks_keep(bool (*is_sure)(uint32_t tgid))
{
	for (size_t i = 0; i < known.processes.room; i++) {
		/* Taking one out may move another one to its place. */
		while (known.processes.entries[i].value && !is_sure((uint32_t)known.processes.entries[i].key))
			leave_job((uint32_t)known.processes.entries[i].key);
	}
}

void hyb_tasks_recheck(void)
{
	if (getuid())
		hyb_tasks_keep(is_unchanged);
}

void hyb_tasks_forked(uint32_t tgid, uint32_t tid, uint32_t ptgid, uint32_t ptid, uint64_t now)
{
	const struct hyb_task *parent = hyb_map_get(&known.tasks, ptid);
	struct hyb_task *task;

	/* A process that the job starts is of the job. */
	if (tgid != ptgid && hyb_tasks_is_job(ptgid)) {
		add_process(tgid, ptgid, now);
		if (known.round) {
			hyb_map_put(&known.forked, tgid, (void *)known.round);
			if (hyb_map_get(&known.starts, ptgid))
				hyb_map_put(&known.starts, tgid, hyb_map_get(&known.starts, ptgid));
		}
	} else if (tgid != ptgid && now > (uintptr_t)hyb_map_get(&known.processes, tgid)) {
		leave_job(tgid);
	}
	if (!known.first || (!known.all && !hyb_tasks_is_job(tgid)))
		return;
	task = hyb_map_get(&known.tasks, tid);
	if (!task)
		task = make(tid);
	if (!task)
		return;
	/* The number may have been another task's before. A new task has the name of its parent. */
	task->start = now;
	task->parent = ptgid;
	if (parent)
		memcpy(task->name, parent->name, sizeof(task->name));
	else
		memset(task->name, 0, sizeof(task->name));
	task->tgid = 0;
	identify(task, tgid, tid);
}

void hyb_tasks_round(void)
{
	known.round++;
	known.executions = 0;
}

bool hyb_tasks_more(bool last)
{
	bool more = known.executions;

	known.executions = 0;
	if (more && last)
		hyb_tasks_keep(is_seen);
	return more && !last;
}

void hyb_tasks_executed(uint32_t tgid)
{
	uintptr_t last = (uintptr_t)hyb_map_get(&known.executed, tgid);
	uint64_t start = 0;
	int whose;

	if (!getuid() || !hyb_tasks_is_job(tgid))
		return;
	known.executions++;
	hyb_map_put(&known.executed, tgid, (void *)known.round);
	whose = last == known.round ? -ESRCH : hyb_rights_look(tgid, &start);
	if (whose == 1) {
		hyb_map_put(&known.starts, tgid, (void *)(uintptr_t)start);
		return;
	}
	if (whose && !known.unknown_said) {
		known.unknown_said = true;
		hyb_source_missing("execute", "programs that ended, or executed others, before it could be seen whether they have "
				   "only this user's rights: HYBMON_KERNEL=bpf sees it at once");
	}
	leave_job(tgid);
}

void hyb_tasks_renamed(uint32_t tgid, uint32_t tid, const char *name, uint64_t now)
{
	struct hyb_task *task = hyb_tasks_by_tid(tgid, tid);

	if (!task || task->shown == HYB_TASK_OTHER || !strncmp(task->name, name, sizeof(task->name)))
		return;
	set_name(task, name);
	task->start = now;
	task->defined = false;
}

void hyb_tasks_define(struct hyb_task *task)
{
	struct hyb_def_task def = {
		.start = task->start,
		.tid = task->tid,
		.tgid = task->tgid,
		.parent = task->parent,
		.kind = task->kind,
	};

	task->defined = true;
	if (!task->id)
		return;
	memcpy(def.name, task->name, sizeof(def.name));
	hyb_def_record(HYB_DEF_TASK, task->id, &def, sizeof(def), NULL, 0);
}
