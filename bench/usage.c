/* SPDX-License-Identifier: BSD-3-Clause */
/* usage FILE COMMAND...: runs it and puts into FILE what it took: seconds, CPU seconds, KiB of memory at most. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
	struct timespec start, end;
	struct rusage usage;
	int status;
	pid_t pid;
	FILE *f;

	if (argc < 3) {
		fputs("usage: usage FILE COMMAND...\n", stderr);
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		fprintf(stderr, "usage: %s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0) {
		perror("usage");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	f = fopen(argv[1], "w");
	if (!f || fprintf(f, "%.4f %.4f %ld\n",
			  (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9,
			  seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss) < 0 ||
	    fclose(f)) {
		perror(argv[1]);
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
