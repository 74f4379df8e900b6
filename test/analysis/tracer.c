/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A debugger that does nothing: attaches to each PID, hands on all signals, and ends when they have ended. Says how often
 * they stopped. Exit status: 0; 77 if nobody may attach here.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
	int stops = 0;
	int status;
	pid_t pid;

	for (int i = 1; i < argc; i++) {
		if (!ptrace(PTRACE_ATTACH, atoi(argv[i]), NULL, NULL))
			continue;
		perror(argv[i]);
		return errno == EPERM || errno == ENOSYS ? 77 : 1;
	}
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status))
			continue;
		stops++;
		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)(WSTOPSIG(status) == SIGSTOP ? 0 : WSTOPSIG(status)));
	}
	printf("%d\n", stops);
	return 0;
}
