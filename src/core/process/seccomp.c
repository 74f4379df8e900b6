/* SPDX-License-Identifier: BSD-3-Clause */
/* See seccomp.h. A filter is a program for the kernel's classic BPF, which loads words of what is to be called. */
#include "core/process/seccomp.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/sys/sys.h"

#ifndef SECCOMP_RET_LOG
#define SECCOMP_RET_LOG 0x7ffc0000U
#endif
#ifndef SECCOMP_RET_USER_NOTIF
#define SECCOMP_RET_USER_NOTIF 0x7fc00000U	/* another process answers, as it would without us */
#endif
#ifndef SECCOMP_RET_ACTION_FULL
#define SECCOMP_RET_ACTION_FULL 0xffff0000U
#endif
#define REFUSED 0	/* SECCOMP_RET_KILL_THREAD: also what the kernel has for a filter that it would not take */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

struct machine {
	uint32_t a, x;
	uint32_t memory[BPF_MEMWORDS];
};

static uint32_t calculate(uint16_t operation, uint32_t a, uint32_t b)
{
	switch (operation) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return b ? a / b : 0;
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return b < 32 ? a << b : 0;
	case BPF_RSH:
		return b < 32 ? a >> b : 0;
	case BPF_NEG:
		return -a;
	}
	return a;
}

static bool jumps(uint16_t condition, uint32_t a, uint32_t b)
{
	return (condition == BPF_JEQ && a == b) || (condition == BPF_JGT && a > b) || (condition == BPF_JGE && a >= b) ||
	       (condition == BPF_JSET && (a & b));
}

static bool load(uint32_t *to, const struct sock_filter *f, const struct machine *m, const struct seccomp_data *call)
{
	switch (BPF_MODE(f->code)) {
	case BPF_ABS:
		if (f->k > sizeof(*call) - sizeof(*to))
			return false;
		memcpy(to, (const char *)call + f->k, sizeof(*to));
		return true;
	case BPF_IMM:
		*to = f->k;
		return true;
	case BPF_MEM:
		*to = m->memory[f->k % BPF_MEMWORDS];
		return true;
	case BPF_LEN:
		*to = sizeof(*call);
		return true;
	}
	return false;
}

/* What the filter says of a call. Jumps lead forwards only, so it ends. */
static uint32_t run(const struct sock_fprog *filter, const struct seccomp_data *call)
{
	struct machine m = { .a = 0 };

	for (unsigned int i = 0; i < filter->len; i++) {
		const struct sock_filter *f = &filter->filter[i];
		const uint32_t b = BPF_SRC(f->code) == BPF_X ? m.x : f->k;

		switch (BPF_CLASS(f->code)) {
		case BPF_LD:
			if (!load(&m.a, f, &m, call))
				return REFUSED;
			break;
		case BPF_LDX:
			if (!load(&m.x, f, &m, call))
				return REFUSED;
			break;
		case BPF_ST:
			m.memory[f->k % BPF_MEMWORDS] = m.a;
			break;
		case BPF_STX:
			m.memory[f->k % BPF_MEMWORDS] = m.x;
			break;
		case BPF_ALU:
			m.a = calculate(BPF_OP(f->code), m.a, b);
			break;
		case BPF_JMP:
			if (BPF_OP(f->code) == BPF_JA)
				i += f->k < filter->len ? f->k : filter->len;
			else
				i += jumps(BPF_OP(f->code), m.a, b) ? f->jt : f->jf;
			break;
		case BPF_RET:
			return BPF_RVAL(f->code) == BPF_A ? m.a : f->k;
		case BPF_MISC:
			if (BPF_MISCOP(f->code) == BPF_TAX)
				m.x = m.a;
			else
				m.a = m.x;
			break;
		}
	}
	return REFUSED;
}

#define CALL(name, ...) { .nr = SYS_##name, .arch = ARCHITECTURE, .args = { __VA_ARGS__ } }

/* What the library calls while it records, and when a process ends, with those arguments that filters look at. */
static const struct seccomp_data calls[] = {
	CALL(clock_gettime, 0),
	CALL(close, 1000),
	CALL(copy_file_range, 1000, 0, 1001),
	CALL(fallocate, 1000),
	CALL(fcntl, 1000, F_DUPFD_CLOEXEC, 1000),
	CALL(fstat, 1000),
	CALL(ftruncate, 1000),
	CALL(futex, 0, 0),
	CALL(futex, 0, 1),
	CALL(getdents64, 1000),
	CALL(geteuid, 0),
	CALL(getpid, 0),
	CALL(getrandom, 0),
	CALL(getrusage, 0),
	CALL(gettid, 0),
	CALL(lseek, 1000),
	CALL(mkdirat, (uint32_t)AT_FDCWD, 0, 0777),
	CALL(mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 1000),
	CALL(mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX),
	CALL(mprotect, 0, 4096, PROT_READ | PROT_WRITE),
	CALL(munmap, 0, 4096),
	CALL(nanosleep, 0),
	CALL(newfstatat, (uint32_t)AT_FDCWD),
	CALL(openat, (uint32_t)AT_FDCWD, 0, O_RDONLY | O_CLOEXEC),
	CALL(openat, 1000, 0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666),
	CALL(openat, (uint32_t)AT_FDCWD, 0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666),
	CALL(prlimit64, 0),
	CALL(pwrite64, 1000),
	CALL(read, 1000),
	CALL(readlinkat, (uint32_t)AT_FDCWD),
	CALL(renameat2, (uint32_t)AT_FDCWD, 0, (uint32_t)AT_FDCWD),
	CALL(rt_sigprocmask, 2),
	CALL(sched_yield, 0),
	CALL(unlinkat, (uint32_t)AT_FDCWD),
	CALL(waitid, 0),
	CALL(write, 1000),
};

bool hyb_seccomp_lets_record(const struct sock_fprog *filter)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const uint32_t action = run(filter, &calls[i]) & SECCOMP_RET_ACTION_FULL;

		if (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG && action != SECCOMP_RET_ERRNO &&
		    action != SECCOMP_RET_USER_NOTIF)
			return false;
	}
	return true;
}
