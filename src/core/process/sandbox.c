/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See sandbox.h. Programs come to seccomp by prctl or by syscall, as libseccomp does; filters from before the program began
 * are its launcher's, and let it do what all programs do. What a program does by instructions of its own is not seen.
 */
#include "core/process/sandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>

#include "core/sys/compiler.h"
#include "core/sys/sys.h"
#include "core/process/seccomp.h"

HYB_EXPORT long syscall(long number, ...);	/* in syscall.S */
HYB_EXPORT int prctl(int option, ...);

/* What syscall.S does not pass on at once. */
long hyb_sandbox_syscall(long number, long a, long b, long c, long d, long e, long f);

/* Another tool's, behind us, or libc's own; NULL before the library has been loaded. */
extern long (*hyb_syscall_next)(long number, ...);
long (*hyb_syscall_next)(long number, ...);
static int (*prctl_next)(int option, ...);

static void (*enter_sandbox)(void);
static bool sandboxed;

void hyb_sandbox_start(void (*enter)(void))
{
	enter_sandbox = enter;
	*(void **)&prctl_next = dlsym(RTLD_NEXT, "prctl");
	__atomic_store_n((void **)&hyb_syscall_next, dlsym(RTLD_NEXT, "syscall"), __ATOMIC_RELEASE);
}

bool hyb_sandboxed(void)
{
	return __atomic_load_n(&sandboxed, __ATOMIC_RELAXED);
}

/* mode: as of PR_SET_SECCOMP, which lets nothing but reads and writes through, or a filter. */
static void enter(unsigned long mode, const struct sock_fprog *filter)
{
	int saved = errno;

	if (mode == SECCOMP_MODE_FILTER && (!filter || !filter->filter || hyb_seccomp_lets_record(filter)))
		return;
	/* The kernel will refuse it. */
	if (mode == SECCOMP_MODE_FILTER && HYB_SYS(geteuid, 0, 0, 0, 0, 0, 0) &&
	    HYB_SYS(prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0, 0) != 1)
		return;
	if (enter_sandbox && !hyb_sandboxed())
		enter_sandbox();
	__atomic_store_n(&sandboxed, true, __ATOMIC_RELAXED);
	errno = saved;
}

static long as_libc(long ret)
{
	if (ret < 0 && ret > -4096) {
		errno = (int)-ret;
		return -1;
	}
	return ret;
}

/* dlsym may not be called yet: malloc may come here, too. */
long hyb_sandbox_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long (*next)(long number, ...) = __atomic_load_n(&hyb_syscall_next, __ATOMIC_ACQUIRE);

	if (number == SYS_seccomp && a == SECCOMP_SET_MODE_FILTER)
		enter(SECCOMP_MODE_FILTER, (const struct sock_fprog *)c);
	else if (number == SYS_seccomp && a == SECCOMP_SET_MODE_STRICT)
		enter(SECCOMP_MODE_STRICT, NULL);
	else if (number == SYS_prctl && a == PR_SET_SECCOMP)
		enter((unsigned long)b, (const struct sock_fprog *)c);
	return next ? next(number, a, b, c, d, e, f) : as_libc(hyb_sys6(number, a, b, c, d, e, f));
}

HYB_EXPORT int prctl(int option, ...)
{
	unsigned long a, b, c, d;
	va_list list;

	va_start(list, option);
	a = va_arg(list, unsigned long);
	b = va_arg(list, unsigned long);
	c = va_arg(list, unsigned long);
	d = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_SECCOMP)
		enter(a, (const struct sock_fprog *)b);
	return prctl_next ? prctl_next(option, a, b, c, d) : (int)as_libc(HYB_SYS(prctl, option, a, b, c, d, 0));
}
