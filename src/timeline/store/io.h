/* SPDX-License-Identifier: BSD-3-Clause */
/* All of it, or an error: the store's file is written and read at places. */
#ifndef HYB_TIMELINE_STORE_IO_H
#define HYB_TIMELINE_STORE_IO_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

static inline int hyb_view_write_at(int fd, const void *data, size_t size, uint64_t offset)
{
	ssize_t n;

	while (size) {
		n = pwrite(fd, data, size, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data = (const char *)data + n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

/* -EIO: it ends before. */
static inline int hyb_view_read_at(int fd, void *to, size_t size, uint64_t offset)
{
	ssize_t n;

	while (size) {
		n = pread(fd, to, size, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EIO;
		to = (char *)to + n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

#endif
