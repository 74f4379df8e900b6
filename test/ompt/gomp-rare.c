/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constructs that few programs have, as GCC translates them for libgomp, a known number of times each: loops whose
 * iterations wait for each other, teams, target constructs with the host as the device, scope, reductions by tasks,
 * depend objects, sections that are cancelled, loops of large unsigned counters. LLVM's runtime in libgomp's place lacks
 * many of them.
 *
 * The host executes one team of a league after another, on one thread. Of loops that GCC shares out itself libgomp is not
 * told the iterations.
 */
#include <omp.h>

#include "say.h"

#define THREADS 3
#define LOOP 6
#define LARGE (1UL << 63)
#define HAS_SCOPE (__GNUC__ >= 12)

static long x;
static char cells[8];

static void add(void)
{
	__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
}

/* Each iteration waits for two before it, if there are such; each wait says both counters. */
static void across(void)
{
	int paths[LOOP][LOOP] = { { 0 } };
	int order[LOOP] = { 0 };

#pragma omp parallel num_threads(THREADS)
	{
#pragma omp for ordered(2) schedule(dynamic)
		for (int i = 0; i < LOOP; i++) {
			for (int j = 0; j < LOOP; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
				paths[i][j] = i && j ? paths[i - 1][j] + paths[i][j - 1] : 1;
#pragma omp ordered depend(source)
			}
		}
#pragma omp for ordered(1) schedule(static, 1)
		for (unsigned long i = 1; i < LOOP; i++) {
#pragma omp ordered depend(sink : i - 1)
			order[i] = order[i - 1] + 1;
			/* a loop of another team within it, by the same thread */
#pragma omp parallel for ordered(1) num_threads(1)
			for (int j = 0; j < 2; j++) {
#pragma omp ordered depend(source)
			}
#pragma omp ordered depend(source)
		}
	}
	x += paths[LOOP - 1][LOOP - 1] == 252 && order[LOOP - 1] == LOOP - 1;
	say("count depend source %d", 2 * LOOP * LOOP + (LOOP - 1) + 2 * (LOOP - 1));
	say("count depend sink %d", 2 * 2 * LOOP * (LOOP - 1) + LOOP - 2);
}

static void teams(void)
{
#pragma omp teams num_teams(2)
	{
		add();
#pragma omp parallel num_threads(2)
		add();
	}
#pragma omp target teams num_teams(2) map(tofrom : x)
	add();
}

static void targets(void)
{
	static int a[10];
	int line;

#pragma omp target data map(tofrom : a)
	{
#pragma omp target map(tofrom : a)
#pragma omp parallel num_threads(2)
		add();
		line = __LINE__ + 1;
#pragma omp target update from(a)
	}
#pragma omp target enter data map(to : a)
#pragma omp target exit data map(from : a)
#pragma omp parallel num_threads(THREADS)
#pragma omp single
	{
#pragma omp target nowait map(tofrom : x)
		add();
#pragma omp target teams nowait map(tofrom : x) if (0)
		add();
#pragma omp target enter data nowait map(to : a)
#pragma omp taskwait
	}
	/* with those of teams and older; before GCC 12 the teams of a task are not told */
	say("calls teams %d 4", 3 + HAS_SCOPE);
	say("count target 5");
	say("count target enter data 4");
	say("count target exit data 3");
	say("count target update 2");
	say("inside target update / -");
	AT("target update", line);
}

/* As GCC before 5, and of teams before 12, translates target constructs. */
extern void GOMP_target(int device, void (*code)(void *), const void *unused, size_t count, void **addresses,
			size_t *sizes, unsigned char *kinds);
extern void GOMP_target_data(int device, const void *unused, size_t count, void **addresses, size_t *sizes,
			     unsigned char *kinds);
extern void GOMP_target_update(int device, const void *unused, size_t count, void **addresses, size_t *sizes,
			       unsigned char *kinds);
extern void GOMP_target_end_data(void);
extern void GOMP_teams(unsigned int teams, unsigned int threads);

static void one_team(void *unused)
{
	(void)unused;
	GOMP_teams(2, 0);
#pragma omp parallel num_threads(2)
	add();
}

static void older(void)
{
	GOMP_target_data(-1, NULL, 0, NULL, NULL, NULL);
	GOMP_target(-1, one_team, NULL, 0, NULL, NULL, NULL);
	GOMP_target_update(-1, NULL, 0, NULL, NULL, NULL);
	GOMP_target_end_data();
}

static void scopes(void)
{
#if HAS_SCOPE
	long sum = 0, by_tasks = 0;

#pragma omp parallel num_threads(THREADS)
	{
#pragma omp scope reduction(+ : sum)
		sum++;
#pragma omp scope reduction(task, + : by_tasks)
		{
#pragma omp task in_reduction(+ : by_tasks)
			by_tasks++;
		}
	}
	x += sum == THREADS && by_tasks == THREADS;
	say("count scope %d", THREADS);
	say("inside scope / parallel");
#endif
}

/* Each construct has its taskgroup, and the barrier that ends it beside its own. */
static void reductions(void)
{
	long loops = 0, inner = 0, sections = 0, all = 0;
	int scanned = 0, sums[LOOP];

#pragma omp parallel num_threads(THREADS)
	{
#pragma omp for reduction(task, + : loops) schedule(dynamic)
		for (int i = 0; i < LOOP; i++) {
#pragma omp task in_reduction(+ : loops)
			loops++;
		}
#pragma omp for reduction(task, + : inner) schedule(static)
		for (int i = 0; i < LOOP; i++) {
#pragma omp task in_reduction(+ : inner)
			inner++;
		}
#pragma omp sections reduction(task, + : sections)
		{
#pragma omp section
			sections++;
#pragma omp section
			sections++;
		}
	}
#pragma omp parallel num_threads(THREADS) reduction(task, + : all)
	{
#pragma omp task in_reduction(+ : all)
		all++;
	}
#pragma omp parallel for num_threads(THREADS) reduction(inscan, + : scanned)
	for (int i = 0; i < LOOP; i++) {
		scanned += i;
#pragma omp scan inclusive(scanned)
		sums[i] = scanned;
	}
	x += loops == LOOP && inner == LOOP && sections == 2 && all == THREADS && sums[LOOP - 1] == 15;
}

/* Dependences: of the first task 1, of the second 2, of the third 5, and what taskwait waits for. */
static void tasks(void)
{
	omp_depend_t object;

#pragma omp depobj(object) depend(inout : cells[3])
#pragma omp parallel num_threads(THREADS)
#pragma omp single
	{
#pragma omp task depend(out : cells[3])
		add();
#pragma omp task depend(depobj : object) depend(in : cells[1])
		add();
#pragma omp task depend(iterator(i = 0 : 4), in : cells[i]) depend(mutexinoutset : cells[7])
		add();
#pragma omp taskwait depend(in : cells[3])
	}
#pragma omp depobj(object) destroy
	say("count depend in %d", 1 + 4 + 1);
	say("count depend inout 2");
	say("count depend mutexinoutset 1");
}

/* The one that cancels waits until the other section is under way. */
static void cancelled(void)
{
	int begun = 0;

	if (!omp_get_cancellation())
		return;
#pragma omp parallel num_threads(2)
#pragma omp sections
	{
#pragma omp section
		{
			while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE))
				;
#pragma omp cancel sections
			x -= 100;
		}
#pragma omp section
		{
			__atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
			for (;;) {
#pragma omp cancellation point sections
			}
		}
	}
	say("count cancel 2");
}

/* 30 iterations upwards, 10 downwards and a taskloop of 30; no signed counter has these values. */
static void large(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp for schedule(dynamic, 8)
		for (unsigned long i = LARGE - 10; i < LARGE + 20; i++)
			add();
#pragma omp for schedule(guided)
		for (unsigned long i = LARGE + 20; i > LARGE - 10; i -= 3)
			add();
#pragma omp single
#pragma omp taskloop num_tasks(2)
		for (unsigned long i = LARGE - 10; i < LARGE + 20; i++)
			add();
	}
	say("count loop guided 2");
	say("count taskloop 1");
	say("inside taskloop / taskgroup");
}

int main(void)
{
	const int made = 2 * LOOP + THREADS + 3 + 2 + HAS_SCOPE * THREADS;

	across();
	teams();
	targets();
	older();
	scopes();
	reductions();
	tasks();
	cancelled();
	large();
	/* those of across, reductions and large */
	say("count loop dynamic %d", THREADS + THREADS + 2);
	say("count loop static %d", THREADS + (LOOP - 1) + THREADS + THREADS);
	say("count sections %d", THREADS + (omp_get_cancellation() ? 2 : 0));
	say("count single 3");
	say("count task %d", made);
	say("events ThreadTaskCreate %d", made);
	say("events ThreadTaskComplete %d", made);
	/* of reductions three in each thread, and of the taskloop */
	say("count taskgroup %d", THREADS * (3 + HAS_SCOPE) + 1);
	return x != 1 + (2 + 4 + 2) + (2 + 2) + 2 + HAS_SCOPE + 1 + 3 + 30 + 10 + 30;
}
