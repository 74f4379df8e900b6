/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring buffers that the kernel writes the records of perf's events into. */
#ifndef HYB_COLLECTOR_COMMON_RING_H
#define HYB_COLLECTOR_COMMON_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct hyb_ring {
	int fd;				/* of the event that owns it */
	struct perf_event_mmap_page *page; /* NULL: there is none */
	unsigned char *data;
	uint64_t size;			/* a power of two */
	uint64_t at;			/* the next record */
	uint64_t end;			/* how far it may be read now */
	uint64_t bounce[8192];		/* a record that goes over the ring's end, in one piece: 64 KiB at most */
};

/*
 * Opens an event that owns a ring of `size` bytes. If this user may not lock as much memory, the ring is smaller, down
 * to `least`; both are powers of two and whole pages. The ring is added to the epoll instance, with data 0. 0, or
 * -errno with nothing open.
 */
int hyb_ring_open(struct hyb_ring *ring, struct perf_event_attr *attr, int pid, int cpu, uint64_t size, uint64_t least,
		  int poll);
/* Closes the ring and its event, if it is open. */
void hyb_ring_close(struct hyb_ring *ring);
/* Looks how much there is by now. hyb_ring_next goes as far. */
void hyb_ring_look(struct hyb_ring *ring);
/* The next record, valid until the next call. NULL: there is no more. */
const struct perf_event_header *hyb_ring_next(struct hyb_ring *ring);
/* Puts the last record back: it comes once more. */
void hyb_ring_back(struct hyb_ring *ring, const struct perf_event_header *header);
/* Gives the space of what was read back to the kernel. */
void hyb_ring_release(struct hyb_ring *ring);

/*
 * The last `bytes` of a record, which all records but samples end with as sample_type says: first of all the task
 * (process in the lower half, thread in the upper), then the time.
 */
static inline const uint64_t *hyb_ring_trailer(const struct perf_event_header *header, size_t bytes)
{
	return (const uint64_t *)((const char *)header + header->size - bytes);
}

#endif
