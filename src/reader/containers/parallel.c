/* SPDX-License-Identifier: BSD-3-Clause */
/* See parallel.h. */
#include "reader/containers/parallel.h"

#include <pthread.h>
#include <sched.h>

#define THREADS_MOST 8
#define ITEMS_LEAST  8 /* for each thread: making one takes as long as opening some files */

struct run {
	size_t count;
	size_t next;
	int failed; /* the first error */
	int (*one)(void *arg, size_t i);
	void *arg;
};

static void *work(void *arg)
{
	struct run *run = arg;

	while (!__atomic_load_n(&run->failed, __ATOMIC_RELAXED)) {
		const size_t i = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);
		int ret, none = 0;

		if (i >= run->count)
			break;
		ret = run->one(run->arg, i);
		if (ret)
			__atomic_compare_exchange_n(&run->failed, &none, ret, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
	return NULL;
}

static size_t threads_for(size_t count)
{
	size_t most = count / ITEMS_LEAST, cpus = 1;
	cpu_set_t set;

	if (most > 1 && !sched_getaffinity(0, sizeof(set), &set))
		cpus = (size_t)CPU_COUNT(&set);
	most = most < cpus ? most : cpus;
	return most < THREADS_MOST ? most : THREADS_MOST;
}

int hyb_parallel(size_t count, int (*one)(void *arg, size_t i), void *arg)
{
	struct run run = { .count = count, .one = one, .arg = arg };
	const size_t wanted = threads_for(count);
	pthread_t threads[THREADS_MOST];
	size_t made = 0;

	/* The caller is one of them. */
	while (made + 1 < wanted && !pthread_create(&threads[made], NULL, work, &run))
		made++;
	work(&run);
	while (made)
		pthread_join(threads[--made], NULL);
	return run.failed;
}
