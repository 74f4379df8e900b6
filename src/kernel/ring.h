/* SPDX-License-Identifier: BSD-3-Clause */
/* perf_event_open: opening events, and the ring buffers that they write into. */
#ifndef HYB_KERNEL_RING_H
#define HYB_KERNEL_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
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

/* What all events here have in common: disabled, times by CLOCK_MONOTONIC_RAW, each record with id, task and time. */
void hyb_event_init(struct perf_event_attr *attr, uint32_t type, uint64_t config);
/*
 * Opens it for task pid (-1: all) on cpu (-1: all), the records going to the ring of `to`, -1: none yet. Does
 * without what older kernels lack. A descriptor or -errno.
 */
int hyb_event_open(struct perf_event_attr *attr, int pid, int cpu, int to);
/* The event's number, which its records have. 0 or -errno. */
int hyb_event_id(int fd, uint64_t *id);
/* How many records the event could not write, as far as the kernel counts that. */
uint64_t hyb_event_lost(int fd);

/*
 * Opens an event that owns a ring, of `size` bytes, or less where this user may not have as much memory locked, down to
 * `least`; both powers of two and whole pages. The epoll instance gets it, with data 0. 0, or -errno with nothing open.
 */
int hyb_ring_open(struct hyb_ring *ring, struct perf_event_attr *attr, int pid, int cpu, uint64_t size, uint64_t least,
		  int poll);
/* The event goes with it. Harmless on one that is not open. */
void hyb_ring_close(struct hyb_ring *ring);
/* Looks how much there is by now; hyb_ring_next then goes as far. */
void hyb_ring_look(struct hyb_ring *ring);
/* The next record, NULL: no more. Good until the next call. */
const struct perf_event_header *hyb_ring_next(struct hyb_ring *ring);
/* The last one was not taken: it comes once more. */
void hyb_ring_back(struct hyb_ring *ring, const struct perf_event_header *header);
/* Gives the space of what was read back to the kernel. */
void hyb_ring_release(struct hyb_ring *ring);

#endif
