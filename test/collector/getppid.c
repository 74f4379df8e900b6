/* SPDX-License-Identifier: BSD-3-Clause */
/* getppid: asks 100 times who its parent is. What it is executed as is up to its file. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 100; i++)
		syscall(SYS_getppid);
	return 0;
}
