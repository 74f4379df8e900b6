/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks that one thread gets and another gives up, as programs do that let a thread go on by a lock: in turns, and
 * while the next one waits for it. Each release is that of what was had.
 */
#include <omp.h>
#include <sched.h>

#include "say.h"

#define ROUNDS 200

static omp_lock_t lock;
static int had;
static int x;

static void in_turns(void)
{
	for (int i = 0; i < ROUNDS; i++) {
#pragma omp barrier
		if (!omp_get_thread_num())
			omp_set_lock(&lock);
#pragma omp barrier
		if (omp_get_thread_num())
			omp_unset_lock(&lock);
	}
}

static void at_once(void)
{
#pragma omp barrier
	for (int i = 0; i < ROUNDS && !omp_get_thread_num(); i++) {
		omp_set_lock(&lock);
		__atomic_store_n(&had, i + 1, __ATOMIC_RELEASE);
	}
	for (int i = 0; i < ROUNDS && omp_get_thread_num(); i++) {
		while (__atomic_load_n(&had, __ATOMIC_ACQUIRE) <= i)
			sched_yield();
		omp_unset_lock(&lock);
	}
}

int main(void)
{
	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
	{
		in_turns();
		at_once();
		/* and as it is meant */
#pragma omp barrier
		omp_set_lock(&lock);
		x++;
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
	say("count omp_unset_lock %d", 2 * ROUNDS + 2);
	return x != 2;
}
