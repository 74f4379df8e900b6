/* SPDX-License-Identifier: BSD-3-Clause */
/* The system calls of sys.h that take more than one step. */
#include "core/sys/sys.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

/* Signals are rare, and mostly blocked here; what is interrupted each time will never be done. */
#define RETRIES		1000
#define HIGH_FD		1024	/* programs use lower descriptors */

/* How long a file may become. Beyond, the kernel would send SIGXFSZ, whose default is to end the program. */
static uint64_t size_limit(void)
{
	struct rlimit limit;

	return HYB_SYS(prlimit64, 0, RLIMIT_FSIZE, 0, &limit, 0, 0) || limit.rlim_cur == RLIM_INFINITY ?
	       UINT64_MAX : limit.rlim_cur;
}

static bool beyond_limit(uint64_t end)
{
	return end > size_limit();
}

bool hyb_sys_fits(uint64_t size)
{
	return !beyond_limit(size);
}

long hyb_sys_write_at(long fd, const void *buf, size_t size, uint64_t offset)
{
	int retries = RETRIES;

	if (beyond_limit(offset + size))
		return -EFBIG;
	while (size) {
		long n = HYB_SYS(pwrite64, fd, buf, size, offset, 0, 0);

		if (n == -EINTR && retries--)
			continue;
		if (n <= 0)
			return n ? n : -ENOSPC;
		buf = (const char *)buf + n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

long hyb_sys_reserve(long fd, uint64_t offset, uint64_t size)
{
	static const char zeroes[4096];
	int retries = RETRIES;
	long err;

	if (beyond_limit(offset + size))
		return -EFBIG;
	do {
		err = HYB_SYS(fallocate, fd, 0, offset, size, 0, 0);
	} while (err == -EINTR && retries--);
	/* File systems without fallocate: writing zeroes is what makes sure that the space is there. */
	if (err == -EOPNOTSUPP || err == -ENOSYS) {
		for (err = 0; size && !err; offset += sizeof(zeroes), size -= sizeof(zeroes))
			err = hyb_sys_write_at(fd, zeroes, sizeof(zeroes), offset);
	}
	return err;
}

/* A file that is written at its end, or a shared one: its size and no offset tells where that is. */
static bool has_room(long fd, size_t size)
{
	uint64_t limit = size_limit();
	struct stat st;

	return limit == UINT64_MAX || HYB_SYS(fstat, fd, &st, 0, 0, 0, 0) || !S_ISREG(st.st_mode) ||
	       (uint64_t)st.st_size + size <= limit;
}

long hyb_sys_write_all(long fd, const char *buf, size_t size)
{
	int retries = RETRIES;

	if (!has_room(fd, size))
		return -EFBIG;
	while (size) {
		long n = hyb_sys_write(fd, buf, size);

		if (n == -EINTR && retries--)
			continue;
		if (n <= 0)
			return n ? n : -ENOSPC;
		buf += n;
		size -= (size_t)n;
	}
	return 0;
}

long hyb_sys_read_text(long fd, char *buf, size_t size)
{
	int retries = RETRIES;
	size_t have = 0;
	long n = 0;

	while (have < size - 1) {
		n = hyb_sys_read(fd, buf + have, size - 1 - have);
		if (n == -EINTR && retries--)
			continue;
		if (n <= 0)
			break;
		have += (size_t)n;
	}
	buf[have] = 0;
	return n < 0 ? n : (long)have;
}

long hyb_sys_read_file(const char *path, char *buf, size_t size)
{
	long fd = hyb_sys_open(path, O_RDONLY, 0);
	long n;

	if (fd < 0)
		return fd;
	n = hyb_sys_read_text(fd, buf, size);
	hyb_sys_close(fd);
	return n;
}

long hyb_sys_high_descriptor(long fd)
{
	struct rlimit limit;
	long floor = HIGH_FD;
	long high;

	if (!HYB_SYS(prlimit64, 0, RLIMIT_NOFILE, 0, &limit, 0, 0) && limit.rlim_cur < 4 * HIGH_FD)
		floor = (long)limit.rlim_cur / 2;
	high = HYB_SYS(fcntl, fd, F_DUPFD_CLOEXEC, floor, 0, 0, 0);
	if (high < 0)
		return fd;
	hyb_sys_close(fd);
	return high;
}

void hyb_sys_wait_for_lock(int *lock, const uint64_t *signals)
{
	uint64_t before;

	/* 2 also for who gets it here: there may be more of us */
	while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE)) {
		hyb_sys_restore_signals(signals);
		HYB_SYS(futex, lock, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
		hyb_sys_block_signals(&before);
	}
}

void hyb_sys_wake_one(int *lock)
{
	HYB_SYS(futex, lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

int hyb_sys_once_take(uint32_t *once)
{
	uint32_t self = (uint32_t)HYB_SYS(gettid, 0, 0, 0, 0, 0, 0);
	uint32_t owner = 0;

	/* acquire pairs with the release in hyb_sys_once_give */
	if (__atomic_compare_exchange_n(once, &owner, self, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
		return 1;
	if (owner == HYB_SYS_ONCE_DONE)
		return 0;
	return owner == self ? -EDEADLK : -EAGAIN;
}

void hyb_sys_once_give(uint32_t *once)
{
	__atomic_store_n(once, HYB_SYS_ONCE_DONE, __ATOMIC_RELEASE);
	HYB_SYS(futex, once, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

void hyb_sys_once_wait(uint32_t *once)
{
	const struct timespec moment = { .tv_nsec = 100000000 };
	uint32_t owner = __atomic_load_n(once, __ATOMIC_RELAXED);

	if (!owner || owner == HYB_SYS_ONCE_DONE)
		return;
	if (HYB_SYS(futex, once, FUTEX_WAIT_PRIVATE, owner, &moment, NULL, 0) == -ETIMEDOUT &&
	    HYB_SYS(tgkill, HYB_SYS(getpid, 0, 0, 0, 0, 0, 0), owner, 0, 0, 0, 0) == -ESRCH)
		__atomic_compare_exchange_n(once, &owner, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

uint64_t hyb_sys_all_but_deadly(uint64_t before)
{
	static const int deadly[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU };
	struct {
		void (*handler)(int);
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} action;
	uint64_t let = 0;

	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
		if (!HYB_SYS(rt_sigaction, deadly[i], NULL, &action, sizeof(action.mask), 0, 0) &&
		    action.handler == SIG_DFL)
			let |= UINT64_C(1) << (deadly[i] - 1);
	}
	return ~(let & ~before);
}
