/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A random graph of tasks, of which it says in which order they have to be: graph THREADS TASKS SEED. All threads
 * make tasks, with dependences, priorities, in taskgroups, some of which are cancelled; undeferred, untied, final and
 * nested ones. For omp-order.py. A task is called by the number in the team of the thread that made it and a count of
 * what that thread made, which is how the trace calls it.
 */
#include <omp.h>
#include <string.h>

#include "say.h"

#define THREADS_MAX	64
#define CELLS		6	/* what the children of one task depend on */
#define SET_MAX		48
#define DEPTH		3

struct id {
	int thread;
	unsigned int number;
};

struct set {
	int count;
	struct id id[SET_MAX];
};

enum access { IN, OUT, MUTEX };

struct cell {
	char data;
	enum access kind;	/* of the writers */
	struct set writers;	/* the last: one, or several that exclude each other */
	struct set readers;	/* since then */
	struct set before;	/* what the writers wait for */
};

/* What a task has made so far. */
struct family {
	struct cell cell[CELLS];
	struct set open;	/* may still be executed */
	struct set ended;	/* are complete: all that comes is behind them */
	struct group *group;	/* the innermost taskgroup, or NULL */
	struct id self;		/* 0: an implicit task */
	unsigned int seed;
};

/* A taskgroup, with all tasks made in it and below; they add themselves. */
struct group {
	struct group *outer;
	struct set members;
};

static unsigned int made[THREADS_MAX];
static long cancelled;
static long left;
static volatile unsigned int sink;

static unsigned int next(struct family *f)
{
	f->seed = f->seed * 1103515245u + 12345u;
	return f->seed >> 16;
}

static void work(unsigned int n)
{
	for (unsigned int i = 0; i < n % 300; i++)
		sink = sink + i;
}

static void put(struct set *set, struct id id)
{
	if (set->count < SET_MAX)
		set->id[set->count++] = id;
}

static void say_pair(const char *what, struct id a, struct id b)
{
	say("%s %d.%u %d.%u", what, a.thread, a.number, b.thread, b.number);
}

static void say_all(const char *what, const struct set *set, struct id id)
{
	for (int i = 0; i < set->count; i++)
		say_pair(what, set->id[i], id);
}

/* The task that this thread makes next. */
static struct id new_task(struct family *f)
{
	int thread = omp_get_thread_num();
	struct id id = { thread, ++made[thread] };

	__atomic_fetch_sub(&left, 1, __ATOMIC_RELAXED);
	say_all("before", &f->ended, id);
	f->ended.count = 0;
	if (f->self.number)
		say_pair("made", f->self, id);
	put(&f->open, id);
#pragma omp critical(groups)
	for (struct group *g = f->group; g; g = g->outer)
		put(&g->members, id);
	return id;
}

/* It depends on a cell in this way. */
static void depends(struct cell *c, enum access access, struct id id)
{
	if (access == IN) {
		say_all("before", &c->writers, id);
		put(&c->readers, id);
		return;
	}
	if (access == MUTEX && c->kind == MUTEX && c->writers.count && !c->readers.count) {
		say_all("before", &c->before, id);
		say_all("apart", &c->writers, id);
		put(&c->writers, id);
		return;
	}
	c->before = c->readers.count ? c->readers : c->writers;
	say_all("before", &c->readers, id);
	say_all("before", &c->writers, id);
	c->kind = access;
	c->readers.count = 0;
	c->writers.count = 0;
	put(&c->writers, id);
}

/* All that the task has made is complete. */
static void waited(struct family *f)
{
	f->ended = f->open;
	f->open.count = 0;
}

static void make_some(struct family *f, int depth, int count);

/* What a task does that makes others. */
static void be_parent(struct id self, struct group *group, unsigned int seed, int depth)
{
	struct family *f = calloc(1, sizeof(*f));

	f->self = self;
	f->group = group;
	f->seed = seed;
	make_some(f, depth + 1, (int)(seed % 5));
	/* what its children depend on is the cells' addresses, which are told apart by parent: none looks into them */
	free(f);
}

static void make_reader(struct family *f, struct cell *a)
{
	unsigned int n = next(f);
	struct id id = new_task(f);

	depends(a, IN, id);
	say("tied %d.%u", id.thread, id.number);
#pragma omp task depend(in: a->data) firstprivate(n)
	work(n);
}

static void make_writer(struct family *f, struct cell *a, struct cell *b)
{
	unsigned int n = next(f);
	struct id id = new_task(f);

	depends(a, OUT, id);
	depends(b, IN, id);
	say("tied %d.%u", id.thread, id.number);
#pragma omp task depend(inout: a->data) depend(in: b->data) priority(n % 4) firstprivate(n)
	work(n);
}

static void make_exclusive(struct family *f, struct cell *a)
{
	unsigned int n = next(f);
	struct id id = new_task(f);

	depends(a, MUTEX, id);
	say("tied %d.%u", id.thread, id.number);
#pragma omp task depend(mutexinoutset: a->data) firstprivate(n)
	work(n);
}

static void make_untied(struct family *f, struct cell *a)
{
	unsigned int n = next(f);
	struct id id = new_task(f);

	depends(a, OUT, id);
#pragma omp task untied depend(out: a->data) firstprivate(n)
	{
		work(n);
#pragma omp taskyield
		work(n);
#pragma omp taskgroup
		{
#pragma omp taskyield
			work(n);
		}
	}
}

/* Without dependences: runtimes wait for those, executing others, before they make the task. */
static void make_undeferred(struct family *f)
{
	unsigned int n = next(f);
	struct id id = new_task(f);

#pragma omp task if (0) firstprivate(n)
	work(n);
	put(&f->ended, id);
}

static void make_parent(struct family *f, int depth)
{
	unsigned int n = next(f);
	struct id id = new_task(f);
	struct group *group = f->group;

	say("tied %d.%u", id.thread, id.number);
#pragma omp task final(n % 16 == 3) firstprivate(n, id, group, depth)
	be_parent(id, group, n, depth);
}

/* Ended when its members are; some are cancelled in the middle. */
static void make_group(struct family *f, int depth)
{
	struct group *group = calloc(1, sizeof(*group));
	unsigned int n = next(f);

	group->outer = f->group;
	f->group = group;
#pragma omp taskgroup
	{
		make_some(f, depth + 1, (int)(n % 7));
		if (n % 3 == 0) {
			struct id id = new_task(f);

			(void)id;
#pragma omp task
			{
				__atomic_fetch_add(&cancelled, 1, __ATOMIC_RELAXED);
#pragma omp cancel taskgroup
			}
		}
	}
	f->group = group->outer;
	for (int i = 0; i < group->members.count; i++)
		put(&f->ended, group->members.id[i]);
	free(group);
}

static void make_some(struct family *f, int depth, int count)
{
	while (count-- > 0 && __atomic_load_n(&left, __ATOMIC_RELAXED) > 0) {
		unsigned int n = next(f);
		struct cell *a = &f->cell[n % CELLS], *b = &f->cell[(n + 1 + n / 64 % (CELLS - 1)) % CELLS];

		switch (n / 8 % 12) {
		case 0: case 1:
			make_reader(f, a);
			break;
		case 2: case 3:
			make_writer(f, a, b);
			break;
		case 4: case 5:
			make_exclusive(f, a);
			break;
		case 6:
			make_untied(f, a);
			break;
		case 7:
			make_undeferred(f);
			break;
		case 8: {	/* a block: no directive may follow a label */
#pragma omp taskwait
			waited(f);
			break;
		}
		case 9:
			if (depth < DEPTH)
				make_group(f, depth);
			break;
		default:
			if (depth < DEPTH)
				make_parent(f, depth);
		}
	}
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 4;
	unsigned int seed = argc > 3 ? (unsigned int)atoi(argv[3]) : 1;
	unsigned int all = 0;

	left = argc > 2 ? atol(argv[2]) : 10000;
#pragma omp parallel num_threads(threads)
	{
		struct family *f = calloc(1, sizeof(*f));

		f->seed = seed * 7919u + (unsigned int)omp_get_thread_num();
		make_some(f, 0, 1 << 30);
#pragma omp taskwait
		free(f);
	}
	for (int i = 0; i < THREADS_MAX; i++)
		all += made[i];
	say("tasks %u", all);
	say("events ThreadTaskCreate %u", all);
	say("events ThreadTaskComplete %u", all);
	say("team %d", threads);
	return 0;
}
