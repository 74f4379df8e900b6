/* SPDX-License-Identifier: BSD-3-Clause */
/* Cancellation of loops, taskgroups and parallel regions; tasks that are fulfilled from outside. */
#include <omp.h>

#include "say.h"

static int x;

int main(void)
{
	omp_event_handle_t event;
	int made = 0;

#pragma omp parallel num_threads(3)
	{
#pragma omp for
		for (int i = 0; i < 100; i++) {
			__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
#pragma omp cancel for if (i == 50)
		}
#pragma omp taskgroup
		{
#pragma omp single
			for (int i = 0; i < 200; i++) {
				made++;
#pragma omp task
				{
					__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
#pragma omp cancel taskgroup if (i == 20)
				}
			}
		}
#pragma omp cancel parallel
	}
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task detach(event)
		__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
		omp_fulfill_event(event);
	}
	say("count parallel 5");
	say("events ThreadTaskCreate %d", made + 1);
	say("events ThreadTaskComplete %d", made + 1);
	return x < 2;
}
