/* SPDX-License-Identifier: BSD-3-Clause */
/* The system calls of sys.h that take more than one step. */
#include "core/sys.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* The kernel would send SIGXFSZ, whose default is to end the program. */
static bool beyond_limit(uint64_t end)
{
	struct rlimit limit;

	return !HYB_SYS(prlimit64, 0, RLIMIT_FSIZE, 0, &limit, 0, 0) &&
	       limit.rlim_cur != RLIM_INFINITY && end > limit.rlim_cur;
}

long hyb_sys_write_at(long fd, const void *buf, size_t size, uint64_t offset)
{
	if (beyond_limit(offset + size))
		return -EFBIG;
	while (size) {
		long n = HYB_SYS(pwrite64, fd, buf, size, offset, 0, 0);

		if (n == -EINTR)
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
	long err;

	if (beyond_limit(offset + size))
		return -EFBIG;
	do {
		err = HYB_SYS(fallocate, fd, 0, offset, size, 0, 0);
	} while (err == -EINTR);
	/* File systems without fallocate: writing zeroes is what makes sure that the space is there. */
	if (err == -EOPNOTSUPP || err == -ENOSYS) {
		for (err = 0; size && !err; offset += sizeof(zeroes), size -= sizeof(zeroes))
			err = hyb_sys_write_at(fd, zeroes, sizeof(zeroes), offset);
	}
	return err;
}

long hyb_sys_read_file(const char *path, char *buf, size_t size)
{
	long fd = hyb_sys_open(path, O_RDONLY, 0);
	size_t have = 0;
	long n = 0;

	if (fd < 0)
		return fd;
	while (have < size - 1) {
		n = hyb_sys_read(fd, buf + have, size - 1 - have);
		if (n == -EINTR)
			continue;
		if (n <= 0)
			break;
		have += (size_t)n;
	}
	hyb_sys_close(fd);
	buf[have] = 0;
	return n < 0 ? n : (long)have;
}

long hyb_sys_write_file(const char *path, int flags, const char *text, size_t size)
{
	long fd = hyb_sys_open(path, O_WRONLY | flags, 0666);
	long err;

	if (fd < 0)
		return fd;
	err = hyb_sys_write_all(fd, text, size);
	hyb_sys_close(fd);
	return err;
}

void *hyb_sys_map(long fd, uint64_t offset, size_t size)
{
	long at = HYB_SYS(mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	return at < 0 && at > -4096 ? NULL : (void *)at;
}

void hyb_sys_unmap(void *at, size_t size)
{
	HYB_SYS(munmap, at, size, 0, 0, 0, 0);
}
