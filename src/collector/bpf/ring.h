/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring buffers that bpf programs write into, for one reader. */
#ifndef HYB_COLLECTOR_BPF_RING_H
#define HYB_COLLECTOR_BPF_RING_H

#include <stddef.h>
#include <stdint.h>

struct hyb_bpf_ring {
	int fd;			/* of the map; whoever made that closes it */
	uint64_t *consumer;	/* NULL: there is none */
	uint64_t *producer;
	unsigned char *data;	/* mapped twice, so a record that goes over the end is in one piece */
	uint64_t size;		/* a power of two */
	uint64_t at;		/* the next record */
	uint64_t end;		/* how far it may be read now */
};

/* Maps the ring of a map that has `size` bytes. 0 or -errno. */
int hyb_bpf_ring_map(struct hyb_bpf_ring *ring, int fd, uint64_t size);
void hyb_bpf_ring_unmap(struct hyb_bpf_ring *ring);
/* Looks how much there is by now. hyb_bpf_ring_next goes as far. */
void hyb_bpf_ring_look(struct hyb_bpf_ring *ring);
/* The next record and its size, valid until hyb_bpf_ring_release. NULL: there is no more that is complete. */
const void *hyb_bpf_ring_next(struct hyb_bpf_ring *ring, uint32_t *size);
/* Gives the space of what was read back to the kernel. */
void hyb_bpf_ring_release(struct hyb_bpf_ring *ring);

#endif
