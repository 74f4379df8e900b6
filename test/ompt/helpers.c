/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Target constructs that nobody waits for, with the host as the device: threads of the runtime's own execute them as
 * tasks (hidden helper threads), which are in a team of their own: outside of a parallel region, and in one.
 */
#include <omp.h>

#include "say.h"

#define ROUNDS 4

int main(void)
{
	int a[2 * ROUNDS] = { 0 };
	int sum = 0;

	for (int i = ROUNDS; i < 2 * ROUNDS; i++) {
#pragma omp target nowait map(tofrom : a[i : 1])
		a[i] = i + 1;
	}
#pragma omp taskwait
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		for (int i = 0; i < ROUNDS; i++) {
#pragma omp target nowait map(tofrom : a[i : 1])
			a[i] = i + 1;
		}
#pragma omp taskwait
	}
	for (int i = 0; i < 2 * ROUNDS; i++)
		sum += a[i];
	say("count target %d", 2 * ROUNDS);
	say("inside target / target task");
	say("count target task %d", 2 * ROUNDS);
	say("events ThreadTaskCreate %d", 2 * ROUNDS);
	say("events ThreadTaskComplete %d", 2 * ROUNDS);
	say("foreign ThreadTaskSwitch %d", 2 * ROUNDS);
	say("foreign ThreadTaskComplete %d", 2 * ROUNDS);
	say("count target submit %d", 2 * ROUNDS);
	return sum != ROUNDS * (2 * ROUNDS + 1);
}
