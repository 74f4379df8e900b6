/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded with the library: system calls that the library makes itself (not those of the program, of libc or of an
 * MPI) fail as HYB_FAULT=NUMBER:N:ERRNO says: the N-th call of that number, or each with N 0. With HYB_FAULT=count:FILE
 * none fails, and each one's number is a line in FILE. A seccomp filter knows the library's calls by the instruction's
 * address; a process beside the program counts them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOW(value)	((uint32_t)(value))
#define HIGH(value)	((uint32_t)((uint64_t)(value) >> 32))
#define DATA(member)	offsetof(struct seccomp_data, member)

static uint64_t text, text_end;

static int find_library(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	if (!strstr(info->dlpi_name, "libhybmon.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			text = info->dlpi_addr + p->p_vaddr;
			text_end = text + p->p_memsz;
		}
	}
	return 1;
}

static void give_up(const char *what)
{
	perror(what);
	_exit(99);
}

/* libc's own: the library's stand before them, and make calls of the kind that is looked for. */
static long (*libc_syscall)(long number, ...);
static int (*libc_prctl)(int option, ...);

/* number: of the call, or -1 for each. */
static int install(long number, uint32_t action, unsigned int flags)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, DATA(instruction_pointer) + 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, HIGH(text), 0, 6),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, DATA(instruction_pointer)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, LOW(text), 0, 4),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LOW(text_end), 3, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, DATA(nr)),
		BPF_JUMP(number < 0 ? BPF_JMP | BPF_JGE | BPF_K : BPF_JMP | BPF_JEQ | BPF_K,
			 number < 0 ? 0 : (uint32_t)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };
	long fd;

	if (libc_prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		give_up("PR_SET_NO_NEW_PRIVS");
	fd = libc_syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	if (fd < 0)
		give_up("seccomp");
	return (int)fd;
}

/* In the process beside: goes on until it is killed. */
static void serve(int listener, long n, int error, const char *file)
{
	int log = file ? open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
	struct seccomp_notif_resp answer;
	struct seccomp_notif call;

	for (long calls = 0; ; ) {
		memset(&call, 0, sizeof(call));
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
			continue;
		memset(&answer, 0, sizeof(answer));
		answer.id = call.id;
		if (log >= 0)
			dprintf(log, "%d\n", call.data.nr);
		if (++calls == n)
			answer.error = -error;
		else
			answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

__attribute__((constructor)) static void start(void)
{
	const char *fault = getenv("HYB_FAULT");
	const char *file = fault && !strncmp(fault, "count:", 6) ? fault + 6 : NULL;
	long number = -1, n = -1;
	pid_t program = getpid();
	int error = 0;
	int listener;

	if (!fault || !dl_iterate_phdr(find_library, NULL))
		return;
	if (!file && sscanf(fault, "%ld:%ld:%d", &number, &n, &error) != 3)
		give_up("HYB_FAULT");
	unsetenv("HYB_FAULT");
	*(void **)&libc_syscall = dlsym(RTLD_NEXT, "syscall");
	*(void **)&libc_prctl = dlsym(RTLD_NEXT, "prctl");
	if (!n) {
		install(number, SECCOMP_RET_ERRNO | (uint32_t)error, 0);
		return;
	}
	listener = install(number, SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);
	/* No SIGCHLD: the program's own wait does not see it. It ends with the program. */
	switch (libc_syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L)) {
	case -1:
		give_up("clone");
	case 0:
		libc_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		if (getppid() != program)
			_exit(0);
		serve(listener, n, error, file);
	}
	close(listener);
}
