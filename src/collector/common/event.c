/* SPDX-License-Identifier: BSD-3-Clause */
/* perf_event_open; see event.h. */
#include "collector/common/event.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef PERF_FORMAT_LOST	/* headers before 6.0 */
#define PERF_FORMAT_LOST (1U << 4)
#endif

void hyb_event_init(struct perf_event_attr *attr, uint32_t type, uint64_t config)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = type;
	attr->config = config;
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr->read_format = PERF_FORMAT_LOST;
	attr->disabled = 1;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC_RAW;
	attr->watermark = 1;
}

static int open_event(struct perf_event_attr *attr, int pid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int hyb_event_open(struct perf_event_attr *attr, int pid, int cpu, int to)
{
	int fd = open_event(attr, pid, cpu);

	if (fd == -EINVAL && attr->read_format) {
		attr->read_format = 0;
		fd = open_event(attr, pid, cpu);
	}
	if (fd >= 0 && to >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, to)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

int hyb_event_id(int fd, uint64_t *id)
{
	return ioctl(fd, PERF_EVENT_IOC_ID, id) ? -errno : 0;
}

uint64_t hyb_event_lost(int fd)
{
	uint64_t values[2];

	return read(fd, values, sizeof(values)) == sizeof(values) ? values[1] : 0;
}
