/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of threads, from /proc; see counts.h. The program takes no part in it. What a thread does after the last
 * look at it is not known.
 */
#include "collector/self/counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/clock.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "collector/common/map.h"
#include "collector/common/output.h"
#include "collector/common/proc.h"
#include "collector/common/source.h"
#include "collector/common/task.h"

#define REST	20	/* the pause after a look, in times of what the look took */

enum count { VOLUNTARY, INVOLUNTARY, MINOR, MAJOR, RAN, WAITED, COUNTS };

struct thread {
	uint32_t tgid;
	uint32_t tid;
	uint64_t last[COUNTS];
	struct hyb_task *task;
	bool seen;		/* in this look */
	bool ended;
	struct thread *next;
};

static struct {
	struct thread *threads;		/* newest first */
	struct hyb_map by_tid;
	uint32_t *processes;
	size_t process_count;
	struct hyb_output out;		/* for all threads */
	uint64_t not_before;
} counts;

static bool read_file(const struct thread *t, const char *name, char *buf, size_t size)
{
	char path[64];

	hyb_text_format(path, sizeof(path), "/proc/%u/task/%u/%s", t->tgid, t->tid, name);
	return hyb_sys_read_file(path, buf, size) > 0;
}

static uint64_t find_number(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* False: the thread has ended. Without schedstat (a kernel may lack it) there are no times. */
static bool look(const struct thread *t, uint64_t now[COUNTS])
{
	unsigned long long minor = 0, major = 0, ran = 0, waited = 0;
	char text[8192];
	const char *rest;

	if (!read_file(t, "status", text, sizeof(text)))
		return false;
	now[VOLUNTARY] = find_number(text, "\nvoluntary_ctxt_switches:");
	now[INVOLUNTARY] = find_number(text, "\nnonvoluntary_ctxt_switches:");
	if (!read_file(t, "stat", text, sizeof(text)))
		return false;
	/* proc(5): state, six numbers and the flags come before the faults */
	rest = strrchr(text, ')');
	if (rest)
		sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu", &minor, &major);
	if (read_file(t, "schedstat", text, sizeof(text)))
		sscanf(text, "%llu %llu", &ran, &waited);
	now[MINOR] = minor;
	now[MAJOR] = major;
	now[RAN] = ran;
	now[WAITED] = waited;
	return true;
}

static void write_counts(struct thread *t, uint64_t time, const uint64_t now[COUNTS])
{
	const uint64_t *last = t->last;
	uint64_t *p;

	if (!memcmp(now, last, sizeof(t->last)))
		return;
	p = hyb_output_begin(&counts.out, time, HYB_KERNEL_COUNTS, 0, hyb_task_shown(t->task), COUNTS);
	if (!p)
		return;
	for (int i = 0; i < COUNTS; i++)
		p[i] = now[i] > last[i] ? now[i] - last[i] : 0;
	hyb_output_end(&counts.out, p + COUNTS);
	memcpy(t->last, now, sizeof(t->last));
}

static struct thread *add_thread(uint32_t tgid, uint32_t tid)
{
	struct thread *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->tgid = tgid;
	t->tid = tid;
	if (!look(t, t->last)) {
		free(t);
		return NULL;
	}
	t->task = hyb_tasks_by_tid(tgid, tid);
	hyb_task_shown(t->task);
	t->next = counts.threads;
	counts.threads = t;
	hyb_map_put(&counts.by_tid, tid, t);
	return t;
}

int hyb_counts_open(void)
{
	return hyb_output_open(&counts.out, HYB_STREAM_TASK, 0, 0, 0, hyb_clock_raw());
}

/* A number may have been another thread's before. That is a new thread then. */
static struct thread *find_thread(uint32_t tgid, uint32_t tid)
{
	struct thread *t = hyb_map_get(&counts.by_tid, tid);

	return t && !t->ended && t->tgid == tgid ? t : add_thread(tgid, tid);
}

static void look_at_thread(uint32_t tgid, uint32_t tid)
{
	struct thread *t = find_thread(tgid, tid);
	uint64_t now[COUNTS];

	if (!t || !look(t, now))
		return;
	t->seen = true;
	write_counts(t, hyb_clock_raw(), now);
}

void hyb_counts_add_process(uint32_t tgid)
{
	uint32_t *more = realloc(counts.processes, (counts.process_count + 1) * sizeof(*more));

	if (!more)
		return;
	counts.processes = more;
	more[counts.process_count++] = tgid;
	hyb_proc_threads(tgid, look_at_thread);
}

static void take_all(void)
{
	for (struct thread *t = counts.threads; t; t = t->next)
		t->seen = false;
	/* A process that is gone is forgotten: its number may soon be another's. */
	for (size_t i = counts.process_count; i-- > 0;)
		if (hyb_proc_threads(counts.processes[i], look_at_thread))
			counts.processes[i] = counts.processes[--counts.process_count];
	for (struct thread *t = counts.threads; t; t = t->next) {
		if (!t->seen)
			t->ended = true;
	}
}

void hyb_counts_take(void)
{
	uint64_t begin = hyb_clock_raw();

	if (begin < counts.not_before)
		return;
	take_all();
	counts.not_before = hyb_clock_raw() + REST * (hyb_clock_raw() - begin);
}

void hyb_counts_close(void)
{
	take_all();
	hyb_output_close(&counts.out);
}

bool hyb_counts_stream_name(unsigned int index, char *buf, unsigned int size)
{
	if (index)
		return false;
	hyb_text_format(buf, size, "task-0.hyb");
	return true;
}
