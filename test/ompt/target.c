/* SPDX-License-Identifier: BSD-3-Clause */
/* Target constructs with the host as the device: a known number of each, and of what they do. */
#include <omp.h>

#include "say.h"

#define N 100

static int a[N];

int main(void)
{
	int sum = 0, line;

#pragma omp target data map(tofrom: a)
	{
#pragma omp target teams distribute parallel for map(tofrom: a) num_teams(2)
		for (int i = 0; i < N; i++)
			a[i] = i;
		/* of a target construct some compilers have the function's line only */
		line = __LINE__ + 1;
#pragma omp target update from(a)
	}
#pragma omp target enter data map(to: a)
#pragma omp target exit data map(from: a)
	for (int i = 0; i < N; i++)
		sum += a[i];
	say("count target 1");
	AT("target update", line);
	say("inside target / -");
	say("count target submit 1");
	say("inside target submit / target");
	say("count target enter data 2");
	say("count target exit data 2");
	say("count target update 1");
	say("count device alloc 2");
	say("inside device alloc / target enter data");
	say("count transfer to device 2");
	say("count transfer from device 3");
	say("count device free 2");
	say("inside device free / target exit data");
	return sum != N * (N - 1) / 2 || omp_get_num_devices() < 1;
}
