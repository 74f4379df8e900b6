/* SPDX-License-Identifier: BSD-3-Clause */
/* Mappings that the job makes while it runs, such as the libraries that it loads; see mapping.h. */
#include "collector/common/mapping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "collector/common/chain.h"
#include "collector/common/event.h"
#include "collector/common/ring.h"
#include "collector/common/source.h"
#include "collector/common/task.h"

#define SIZE		(256u << 10)	/* the records of all processes come */
#define LEAST_SIZE	(32u << 10)
#define TRAILER		24		/* pid, tid; time; id */

static struct hyb_ring **rings;
static size_t count;

void hyb_mapping_take(const struct perf_event_header *header)
{
	const uint64_t *trailer = hyb_ring_trailer(header, TRAILER);
	struct {
		uint32_t tgid, tid;
		uint64_t address, length, offset;
		uint32_t file[6];	/* device, inode */
		uint32_t protection, flags;
	} m;
	const char *path = (const char *)(header + 1) + sizeof(m);

	if (header->size < sizeof(*header) + sizeof(m) + 8 + TRAILER)
		return;
	memcpy(&m, header + 1, sizeof(m));
	if (hyb_tasks_is_job(m.tgid))
		hyb_chain_add_mapping(m.tgid, trailer[1], m.address, m.length, m.offset, path);
}

static int open_ring(struct hyb_ring *ring, uint32_t cpu, int poll)
{
	struct perf_event_attr attr;
	int err;

	hyb_event_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	attr.mmap = 1;	/* of code only */
	attr.mmap2 = 1;
	attr.wakeup_watermark = SIZE / 2;
	err = hyb_ring_open(ring, &attr, -1, (int)cpu, SIZE, LEAST_SIZE, poll);
	if (!err && ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0)) {
		err = -errno;
		hyb_ring_close(ring);
	}
	return err;
}

int hyb_mapping_open(uint32_t cpu, int poll)
{
	struct hyb_ring **more = realloc(rings, (count + 1) * sizeof(*more));
	struct hyb_ring *ring = calloc(1, sizeof(*ring));
	int err = -ENOMEM;

	if (more)
		rings = more;
	if (more && ring)
		err = open_ring(ring, cpu, poll);
	if (err)
		free(ring);
	else
		rings[count++] = ring;
	return err;
}

static void say_lost(void)
{
	static bool said;

	if (!said)
		hyb_source_missing("callchain", "so much was mapped at once that some addresses of programs have no names");
	said = true;
}

void hyb_mapping_drain(void)
{
	const struct perf_event_header *header;

	for (size_t i = 0; i < count; i++) {
		while ((header = hyb_ring_next(rings[i]))) {
			if (header->type == PERF_RECORD_MMAP2)
				hyb_mapping_take(header);
			else if (header->type == PERF_RECORD_LOST)
				say_lost();
		}
		hyb_ring_release(rings[i]);
		/*
		 * This is read the next time: if a process leaves the job for its rights, what it maps is not to be
		 * told.
		 */
		hyb_ring_look(rings[i]);
	}
}

void hyb_mapping_close(void)
{
	for (size_t i = 0; i < count; i++) {
		hyb_ring_close(rings[i]);
		free(rings[i]);
	}
	free(rings);
	rings = NULL;
	count = 0;
}
