/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread's own count of the MPI calls it has completed, in a file mapped shared, so that it outlives the
 * process however it ends: $TEST_COUNT/<rank>.<thread>, one 64-bit number.
 */
#ifndef TEST_COUNT_H
#define TEST_COUNT_H

#include <stdint.h>
#include <sys/mman.h>

#include "expect.h"

static __thread volatile uint64_t *count_self;

/* The place of the count of a thread; it needs a descriptor for a moment. */
static inline volatile uint64_t *count_map(int thread)
{
	const char *dir = getenv("TEST_COUNT");
	char path[PATH_MAX];
	void *map;
	int fd;

	if (!dir)
		return calloc(1, sizeof(*count_self));
	snprintf(path, sizeof(path), "%s/%d.%d", dir, expect_rank(), thread);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	CHECK(fd >= 0 && ftruncate(fd, sizeof(*count_self)) == 0);
	map = mmap(NULL, sizeof(*count_self), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(map != MAP_FAILED);
	close(fd);
	return map;
}

static inline void count_open(int thread)
{
	count_self = count_map(thread);
}

/* The call is complete when the count is raised: a recording has as many Leaves or one more. */
#define COUNT(call) do {						\
	(void)(call);							\
	++*count_self;							\
} while (0)

#endif
