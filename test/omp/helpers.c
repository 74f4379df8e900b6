/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Target constructs that nobody waits for, with the host as the device: threads of the runtime's own execute them as
 * tasks (hidden helper threads), which are in a team of their own.
 */
#include <omp.h>

#include "say.h"

#define ROUNDS 4

int main(void)
{
	int a[ROUNDS] = { 0 };
	int sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
		for (int i = 0; i < ROUNDS; i++) {
#pragma omp target nowait map(tofrom : a[i : 1])
			a[i] = i + 1;
		}
#pragma omp taskwait
	}
	for (int i = 0; i < ROUNDS; i++)
		sum += a[i];
	say("paused");
	say("count target %d", ROUNDS);
	say("inside target / target task");
	say("count target task %d", ROUNDS);
	say("events ThreadTaskCreate %d", ROUNDS);
	say("count target submit %d", ROUNDS);
	return sum != ROUNDS * (ROUNDS + 1) / 2;
}
