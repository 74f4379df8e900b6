/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explicit tasks: more than 10,000 of them in a random graph, made by all threads, some untied, undeferred, final,
 * nested, in taskgroups, with dependences. Says how many there were.
 */
#include <omp.h>

#include "say.h"

#define TASKS 10000

static char cells[16];
static long executed;
static long made;

static unsigned int next(unsigned int *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16;
}

static void work(unsigned int n)
{
	volatile unsigned int x = 0;

	for (unsigned int i = 0; i < n % 500; i++)
		x = x + i;
#pragma omp atomic
	executed++;
}

/* Two tasks, which give way to others. */
static void make_untied(unsigned int n)
{
#pragma omp task untied
	{
		work(n);
#pragma omp task
		work(n);
#pragma omp taskyield
		work(n);
	}
#pragma omp atomic
	made++;
}

static void make_dependent(unsigned int n, char *a)
{
#pragma omp task depend(inout: a[0])
	work(n);
#pragma omp task
	{
#pragma omp taskyield
		work(n);
	}
#pragma omp atomic
	made++;
}

static void make(unsigned int *seed, int depth)
{
	unsigned int n = next(seed);
	char *a = &cells[n % 16], *b = &cells[(n + 5) % 16];

#pragma omp atomic
	made++;
	switch (n % 7) {
	case 0:
#pragma omp task depend(in: a[0]) depend(out: b[0])
		work(n);
		break;
	case 1:
		make_untied(n);
		break;
	case 2:
#pragma omp task if (0)
		work(n);
		break;
	case 3:
#pragma omp task final(n & 8)
		{
			unsigned int own = n;

			work(n);
			if (depth < 3)
				make(&own, depth + 1);
		}
		break;
	case 4:
#pragma omp taskgroup
		{
#pragma omp task
			work(n);
		}
		break;
	case 5:
		make_dependent(n, a);
		break;
	default:
#pragma omp task
		{
			unsigned int own = n;

			if (depth < 3)
				make(&own, depth + 1);
			work(n);
		}
	}
}

int main(void)
{
	int threads = 4;

#pragma omp parallel num_threads(threads)
	{
		unsigned int seed = (unsigned int)omp_get_thread_num() + 1;

		for (int i = 0; i < TASKS / threads / 2; i++)
			make(&seed, 0);
#pragma omp barrier
		if (omp_get_thread_num() == 0)
			for (int i = 0; i < TASKS / 2; i++)
				make(&seed, 0);
	}
	if (executed < made)
		return 1;
	say("events ThreadTaskCreate %ld", made);
	say("events ThreadTaskComplete %ld", made);
	say("threads %d", threads);
	say("team %d", threads);
	return 0;
}
