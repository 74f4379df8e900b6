/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructs of OpenMP, of which a filter leaves some out. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long sum = 0;
	omp_lock_t lock;

	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
	for (int k = 0; k < 50; k++) {
#pragma omp barrier
#pragma omp critical
		sum += k;
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 10; i++) {
#pragma omp atomic
			sum += i;
		}
#pragma omp single
		{
#pragma omp task
			sum++;
#pragma omp taskwait
		}
		omp_set_lock(&lock);
		sum++;
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
	printf("%ld\n", sum);
	return 0;
}
