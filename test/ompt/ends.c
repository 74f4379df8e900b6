/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends by exit() inside of a parallel region, in a critical section, while others are in a barrier or a task. */
#include <omp.h>

#include "say.h"

int main(void)
{
	say("cut");
	say("count parallel 4");
	say("count critical 1");
#pragma omp parallel num_threads(4)
	{
#pragma omp barrier
		if (omp_get_thread_num() == 2) {
#pragma omp critical
			exit(0);
		}
#pragma omp task
		for (;;)
			__atomic_thread_fence(__ATOMIC_SEQ_CST);
	}
	return 1;
}
