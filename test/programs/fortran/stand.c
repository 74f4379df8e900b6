/* SPDX-License-Identifier: BSD-3-Clause */
/* What stand.F90 asks C for: to write what comes next over what it wrote before, and to be killed soon after. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static void die(int signal)
{
	(void)signal;
	kill(getpid(), SIGKILL);
}

void c_say(int rank, const char *call, int line, const char *waits)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 150000 } };
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%d.0", getenv("TEST_EXPECT"), rank);
	file = fopen(path, "w");
	if (!file)
		abort();
	fprintf(file, "%d.0 stands in %s stand.F90:%d\n%d.0   waits %s\n", rank, call, line, rank, waits);
	fclose(file);
	signal(SIGALRM, die);
	if (rank == 1)
		setitimer(ITIMER_REAL, &soon, NULL);
}
