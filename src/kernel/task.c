/* SPDX-License-Identifier: BSD-3-Clause */
/* What the collector knows of tasks; see task.h. */
#include "kernel/task.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/defs.h"
#include "core/sys.h"
#include "core/text.h"
#include "kernel/map.h"

#define FIRST_PID_NAMESPACE "pid:[4026531836]"	/* PROC_PID_INIT_INO: part of the kernel's interface */

static struct {
	struct hyb_map tasks;		/* by the kernel's number */
	struct hyb_map by_tid;		/* where the numbers differ */
	struct hyb_map processes;	/* of the job: since when, nanoseconds */
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

/* 1: the process has this user's rights and no others; 0: it has others; -ESRCH: it is gone. Root's are all. */
static int is_users(uint32_t tgid)
{
	const unsigned int user = getuid();
	unsigned int ids[4];	/* real, effective, saved, of the file system */
	char path[64];
	char text[4096];
	const char *line;

	snprintf(path, sizeof(path), "/proc/%u/status", tgid);
	if (hyb_sys_read_file(path, text, sizeof(text)) <= 0)
		return -ESRCH;
	line = strstr(text, "\nUid:");
	if (!user)
		return 1;
	return line && sscanf(line, "\nUid: %u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) == 4 && ids[0] == user &&
	       ids[1] == user && ids[2] == user && ids[3] == user;
}

bool hyb_tasks_is_users(uint32_t tgid)
{
	return is_users(tgid) == 1;
}

/* Threads of the kernel are kthreadd, whose number is 2, and its children. */
static bool is_kernel_thread(uint32_t tgid)
{
	char path[64];
	char text[256];
	const char *behind;
	unsigned int parent = 0;

	snprintf(path, sizeof(path), "/proc/%u/stat", tgid);
	if (hyb_sys_read_file(path, text, sizeof(text)) <= 0)
		return false;
	behind = strrchr(text, ')');
	return tgid == 2 || (behind && sscanf(behind + 1, " %*c %u", &parent) == 1 && parent == 2);
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

/* What is seen of it follows from what it is. */
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

/* From here on it is somebody's whose details are not for this user. */
static void leave_job(uint32_t tgid)
{
	if (!hyb_map_take(&known.processes, tgid))
		return;
	for (size_t i = 0; i < known.tasks.room; i++) {
		struct hyb_task *task = known.tasks.entries[i].value;

		if (task && task->tgid == tgid)
			classify(task);
	}
}

/* As struct hyb_def_task has it. */
static void set_name(struct hyb_task *task, const char *name)
{
	memset(task->name, 0, sizeof(task->name));
	memcpy(task->name, name, strnlen(name, sizeof(task->name)));
}

static void read_name(struct hyb_task *task)
{
	char path[64];
	char text[32];
	long n;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", task->tgid, task->tid);
	n = hyb_sys_read_file(path, text, sizeof(text));
	if (n <= 0)
		return;
	text[n - 1] = 0;
	set_name(task, text);
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
	/* A task that ends has no numbers in a namespace any more: it keeps those it had. */
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

static int add_process(uint32_t tgid, uint64_t now)
{
	struct hyb_task *task;
	struct dirent *entry;
	char path[64];
	DIR *dir;
	int err;

	err = hyb_map_put(&known.processes, tgid, (void *)(uintptr_t)now);
	if (err || !known.first)
		return err;
	snprintf(path, sizeof(path), "/proc/%u/task", tgid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		task = tid ? hyb_tasks_current(tid, tgid, tid) : NULL;
		if (!task)
			continue;
		classify(task);
		if (!task->name[0])
			read_name(task);
	}
	if (dir)
		closedir(dir);
	return 0;
}

int hyb_tasks_add_process(uint32_t tgid)
{
	return add_process(tgid, hyb_clock_raw());
}

void hyb_tasks_recheck(void)
{
	for (size_t i = 0; i < known.processes.room; i++) {
		/* Who is taken out may have another moved to his place. */
		while (known.processes.entries[i].value && !is_users((uint32_t)known.processes.entries[i].key))
			leave_job((uint32_t)known.processes.entries[i].key);
	}
}

void hyb_tasks_forked(uint32_t tgid, uint32_t tid, uint32_t ptgid, uint32_t ptid, uint64_t now)
{
	const struct hyb_task *parent = hyb_map_get(&known.tasks, ptid);
	struct hyb_task *task;

	/* What a process of the job starts is of the job. Our own children would be ours. */
	if (tgid != ptgid && hyb_tasks_is_job(ptgid))
		add_process(tgid, now);
	else if (tgid != ptgid && now > (uintptr_t)hyb_map_get(&known.processes, tgid))
		leave_job(tgid);
	if (!known.first || (!known.all && !hyb_tasks_is_job(tgid)))
		return;
	task = hyb_map_get(&known.tasks, tid);
	if (!task)
		task = make(tid);
	if (!task)
		return;
	/* The number may have been another's before. A task begins with the name of who made it. */
	task->start = now;
	task->parent = ptgid;
	if (parent)
		memcpy(task->name, parent->name, sizeof(task->name));
	else
		memset(task->name, 0, sizeof(task->name));
	task->tgid = 0;
	identify(task, tgid, tid);
}

void hyb_tasks_renamed(uint32_t tgid, uint32_t tid, const char *name, uint64_t now)
{
	struct hyb_task *task = hyb_tasks_by_tid(tgid, tid);

	if (tid == tgid && hyb_tasks_is_job(tgid) && !is_users(tgid))
		leave_job(tgid);
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
