/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls without libc: no errno, no cancellation point, no interposed function of another tool.
 * Each returns what the kernel returns: a value, or -errno.
 */
#ifndef HYB_CORE_SYS_SYS_H
#define HYB_CORE_SYS_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/sys/compiler.h"

static inline long hyb_sys6(long nr, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall" : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0" : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#else
#error "hybmon knows no system calls of this processor"
#endif
}

#define HYB_SYS(nr, a, b, c, d, e, f) \
	hyb_sys6(SYS_##nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline long hyb_sys_open(const char *path, int flags, int mode)
{
	return HYB_SYS(openat, AT_FDCWD, path, flags | O_CLOEXEC, mode, 0, 0);
}

static inline long hyb_sys_close(long fd)
{
	return HYB_SYS(close, fd, 0, 0, 0, 0, 0);
}

/*
 * The same file by a descriptor above those that programs use, as far as the limit allows; the one given is closed then.
 * That one where there is none.
 */
long hyb_sys_high_descriptor(long fd);

static inline long hyb_sys_read(long fd, void *buf, size_t size)
{
	return HYB_SYS(read, fd, buf, size, 0, 0, 0);
}

static inline long hyb_sys_write(long fd, const void *buf, size_t size)
{
	return HYB_SYS(write, fd, buf, size, 0, 0, 0);
}

static inline long hyb_sys_unlink(const char *path, int flags)
{
	return HYB_SYS(unlinkat, AT_FDCWD, path, flags, 0, 0, 0);
}

static inline long hyb_sys_rename(const char *from, const char *to)
{
	return HYB_SYS(renameat2, AT_FDCWD, from, AT_FDCWD, to, 0, 0);
}

static inline long hyb_sys_symlink(const char *target, const char *path)
{
	return HYB_SYS(symlinkat, target, AT_FDCWD, path, 0, 0, 0);
}

/* A terminated string in buf, and its length, or -errno; -ENAMETOOLONG where it does not fit. */
static inline long hyb_sys_readlink_at(long directory, const char *path, char *buf, size_t size)
{
	long n = HYB_SYS(readlinkat, directory, path, buf, size, 0, 0);

	if (n < 0)
		return n;
	if ((size_t)n >= size)
		return -ENAMETOOLONG;
	buf[n] = 0;
	return n;
}

static inline long hyb_sys_readlink(const char *path, char *buf, size_t size)
{
	return hyb_sys_readlink_at(AT_FDCWD, path, buf, size);
}

/* NULL where it fails, as do the two after it. */
static inline void *hyb_sys_mmap(size_t size, int flags, long fd, uint64_t offset)
{
	long at = HYB_SYS(mmap, 0, size, PROT_READ | PROT_WRITE, flags, fd, offset);

	return at < 0 && at > -4096 ? NULL : (void *)at;
}

static inline void *hyb_sys_map(long fd, uint64_t offset, size_t size)
{
	return hyb_sys_mmap(size, MAP_SHARED, fd, offset);
}

/* Zeroes, for this process alone. flags: MAP_NORESERVE and its like, or 0. */
static inline void *hyb_sys_map_anonymous(size_t size, int flags)
{
	return hyb_sys_mmap(size, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

static inline void hyb_sys_unmap(void *at, size_t size)
{
	HYB_SYS(munmap, at, size, 0, 0, 0, 0);
}

/* All of it, behind what the file has, or -errno; -EFBIG where RLIMIT_FSIZE forbids it. */
long hyb_sys_write_all(long fd, const char *buf, size_t size);
/* Whether RLIMIT_FSIZE lets a file have so many bytes. */
bool hyb_sys_fits(uint64_t size);
/* All of it at offset, or -errno; like hyb_sys_reserve() without a SIGXFSZ. */
long hyb_sys_write_at(long fd, const void *buf, size_t size, uint64_t offset);
/* Space for [offset, offset + size) of fd, both whole pages; -EFBIG where RLIMIT_FSIZE forbids it. */
long hyb_sys_reserve(long fd, uint64_t offset, uint64_t size);
/* A terminated string of at most size - 1 bytes of what is open, or of the file; or -errno. */
long hyb_sys_read_text(long fd, char *buf, size_t size);
long hyb_sys_read_file(const char *path, char *buf, size_t size);
/* Blocks all signals of the thread, so that no handler can leave a slow path by longjmp. */
static inline void hyb_sys_block_signals(uint64_t *old)
{
	uint64_t all = ~UINT64_C(0);

	HYB_SYS(rt_sigprocmask, 2 /* SIG_SETMASK */, &all, old, sizeof(all), 0, 0);
}

static inline void hyb_sys_restore_signals(const uint64_t *old)
{
	HYB_SYS(rt_sigprocmask, 2 /* SIG_SETMASK */, old, 0, sizeof(*old), 0, 0);
}

/*
 * A lock of a slow path, 0 at first: held for less than a microsecond, but for a chunk of definitions, which is written
 * to its file under it. Whoever holds it has all signals blocked, since a handler may come here too; whoever waits for
 * it sleeps, with signals as they were.
 */
HYB_EXPORT void hyb_sys_wait_for_lock(int *lock, const uint64_t *signals);
HYB_EXPORT void hyb_sys_wake_one(int *lock);

static inline void hyb_sys_lock(int *lock, uint64_t *signals)
{
	int free = 0;

	hyb_sys_block_signals(signals);
	if (!__atomic_compare_exchange_n(lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		hyb_sys_wait_for_lock(lock, signals);
}

static inline void hyb_sys_unlock(int *lock, const uint64_t *signals)
{
	/* 2: somebody may be asleep */
	if (__atomic_exchange_n(lock, 0, __ATOMIC_RELEASE) == 2)
		hyb_sys_wake_one(lock);
	hyb_sys_restore_signals(signals);
}

/*
 * What is done once and takes longer: 0 at first. Whoever takes it (1) has all signals blocked until he gives it; 0: it
 * has been done; -EDEADLK: this thread is at it, and came here by something that it calls; -EAGAIN: another thread is,
 * and is waited for by hyb_sys_once_wait with signals as they were. A handler may leave that by longjmp.
 */
#define HYB_SYS_ONCE_DONE UINT32_MAX
int hyb_sys_once_take(uint32_t *once);
void hyb_sys_once_give(uint32_t *once);
/* Comes back also when whoever was at it is gone: not copied with the rest by a fork. */
void hyb_sys_once_wait(uint32_t *once);

/* All signals but those which, if `before` does not block them, end the program: they have no handler. */
uint64_t hyb_sys_all_but_deadly(uint64_t before);

#endif
