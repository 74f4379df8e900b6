/* SPDX-License-Identifier: BSD-3-Clause */
/* Needs of libgomp what LLVM's runtime has not: the entry point of target constructs. */
#include <stdio.h>

int main(void)
{
	int x = 0;

#pragma omp target map(tofrom : x)
	x = 5;
#pragma omp parallel num_threads(2)
#pragma omp atomic
	x++;
	printf("%d\n", x);
	return x != 7;
}
