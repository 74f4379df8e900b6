/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rights: asks 100 times who its parent is, over a quarter of a second. What it is executed as is up to its file. Where
 * there is a program `after` in the working directory, it is quicker, and executes that with its user's own rights.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	const int goes_on = !access("after", X_OK);
	const struct timespec nap = { .tv_nsec = goes_on ? 100000 : 10000000 };

	for (int i = 0; i < 100; i++) {
		syscall(SYS_getppid);
		if (i % 4 == 0)
			nanosleep(&nap, NULL);
	}
	if (!goes_on)
		return 0;
	if (setresgid(getgid(), getgid(), getgid()) || setresuid(getuid(), getuid(), getuid()))
		return 1;
	execl("./after", "after", (char *)NULL);
	return 127;
}
