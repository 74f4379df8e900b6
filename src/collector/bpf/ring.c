/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the rings of bpf programs; see ring.h. libbpf's own reader goes on with records that come while it reads.
 * Then nobody could say up to which time each of two rings was read.
 */
#include "collector/bpf/ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

int hyb_bpf_ring_map(struct hyb_bpf_ring *ring, int fd, uint64_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *consumer, *producer;

	consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (consumer == MAP_FAILED)
		return -errno;
	producer = mmap(NULL, page + 2 * size, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (producer == MAP_FAILED) {
		int err = -errno;

		munmap(consumer, page);
		return err;
	}
	ring->fd = fd;
	ring->consumer = consumer;
	ring->producer = producer;
	ring->data = (unsigned char *)producer + page;
	ring->size = size;
	ring->at = 0;
	ring->end = 0;
	return 0;
}

void hyb_bpf_ring_unmap(struct hyb_bpf_ring *ring)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!ring->consumer)
		return;
	munmap(ring->consumer, page);
	munmap(ring->producer, page + 2 * ring->size);
	ring->consumer = NULL;
}

void hyb_bpf_ring_look(struct hyb_bpf_ring *ring)
{
	/* acquire pairs with the kernel's release of the producer's position */
	if (ring->consumer)
		ring->end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
}

const void *hyb_bpf_ring_next(struct hyb_bpf_ring *ring, uint32_t *size)
{
	while (ring->consumer && ring->end - ring->at >= BPF_RINGBUF_HDR_SZ && ring->end - ring->at <= ring->size) {
		const unsigned char *header = ring->data + (ring->at & (ring->size - 1));
		/* acquire pairs with the kernel's exchange that ends the record */
		uint32_t length = __atomic_load_n((const uint32_t *)(const void *)header, __ATOMIC_ACQUIRE);

		if (length & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		*size = length & ~(uint32_t)(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		ring->at += (*size + BPF_RINGBUF_HDR_SZ + 7) & ~UINT64_C(7);
		if (!(length & BPF_RINGBUF_DISCARD_BIT))
			return header + BPF_RINGBUF_HDR_SZ;
	}
	return NULL;
}

void hyb_bpf_ring_release(struct hyb_bpf_ring *ring)
{
	/* release pairs with the kernel's load of the consumer's position: what was read is done with */
	if (ring->consumer)
		__atomic_store_n(ring->consumer, ring->at, __ATOMIC_RELEASE);
}
