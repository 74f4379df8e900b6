/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sandbox HOW CALLS: a program that puts a filter on its system calls between MPI_Init and CALLS calls of MPI_Comm_rank:
 * one that ends it when files are opened or written at an offset, by prctl (kill) or syscall (call); one that lets these
 * fail (fail); one that forbids others only (other); or none (none). Says how many calls it made.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void forbid(const char *how)
{
	const int first = strcmp(how, "other") ? SYS_openat : SYS_ptrace;
	const int second = strcmp(how, "other") ? SYS_pwrite64 : SYS_reboot;
	const unsigned int answer = strcmp(how, "fail") ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };

	if (!strcmp(how, "none"))
		return;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		perror("prctl");
		exit(1);
	}
	if (strcmp(how, "call") ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) :
				  syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)) {
		perror("seccomp");
		exit(77);
	}
}

int main(int argc, char **argv)
{
	const long calls = argc > 2 ? atol(argv[2]) : 10;
	int rank = -1;

	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_SELF);
	forbid(argv[1]);
	for (long i = 0; i < calls; i++)
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	printf("rank %d: %ld calls\n", rank, calls);
	fflush(stdout);
	/* What MPI does at its end may be forbidden, too. */
	_exit(3);
}
