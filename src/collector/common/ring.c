/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings of events; see ring.h. */
#include "collector/common/ring.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/common/event.h"

static int map_ring(struct hyb_ring *ring, int fd, uint64_t size, uint64_t least)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at;

	do {
		at = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (at != MAP_FAILED)
			break;
		size /= 2;
	} while ((errno == EPERM || errno == ENOMEM) && size >= least);
	if (at == MAP_FAILED)
		return -errno;
	ring->fd = fd;
	ring->page = at;
	ring->data = (unsigned char *)at + page;
	ring->size = size;
	ring->at = 0;
	ring->end = 0;
	return 0;
}

int hyb_ring_open(struct hyb_ring *ring, struct perf_event_attr *attr, int pid, int cpu, uint64_t size, uint64_t least,
		  int poll)
{
	struct epoll_event wake = { .events = EPOLLIN };
	int fd = hyb_event_open(attr, pid, cpu, -1);
	int err;

	if (fd < 0)
		return fd;
	err = map_ring(ring, fd, size, least);
	if (err) {
		close(fd);
		return err;
	}
	if (epoll_ctl(poll, EPOLL_CTL_ADD, fd, &wake)) {
		err = -errno;
		hyb_ring_close(ring);
	}
	return err;
}

void hyb_ring_close(struct hyb_ring *ring)
{
	if (!ring->page)
		return;
	munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
	close(ring->fd);
	ring->page = NULL;
}

void hyb_ring_look(struct hyb_ring *ring)
{
	/* acquire pairs with the kernel's barrier between the records and data_head */
	if (ring->page)
		ring->end = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

const struct perf_event_header *hyb_ring_next(struct hyb_ring *ring)
{
	const struct perf_event_header *header;
	uint64_t offset, first;

	if (!ring->page || ring->end - ring->at < sizeof(*header))
		return NULL;
	offset = ring->at & (ring->size - 1);
	first = ring->size - offset;
	/* Records are multiples of 8 bytes, so the header itself is in one piece. */
	header = (const void *)(ring->data + offset);
	if (header->size < sizeof(*header) || header->size > ring->end - ring->at) {
		ring->at = ring->end;
		return NULL;
	}
	if (header->size > first) {
		memcpy(ring->bounce, header, first);
		memcpy((char *)ring->bounce + first, ring->data, header->size - first);
		header = (const void *)ring->bounce;
	}
	ring->at += header->size;
	return header;
}

void hyb_ring_back(struct hyb_ring *ring, const struct perf_event_header *header)
{
	ring->at -= header->size;
}

void hyb_ring_release(struct hyb_ring *ring)
{
	/* release pairs with the kernel's load of data_tail: what was read is done with */
	if (ring->page)
		__atomic_store_n(&ring->page->data_tail, ring->at, __ATOMIC_RELEASE);
}
