/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slots: where programs in the kernel add up what it does to a thread, as a tree, in memory that the thread maps
 * (format/kernel-slot.h). A thread of the job asks for one. All slots of a collector are those of one user's job.
 */
#ifndef HYB_COLLECTOR_BPF_SLOT_H
#define HYB_COLLECTOR_BPF_SLOT_H

#include <stdint.h>

/* Takes the map of blocks, which is empty, and that from thread to slot. The programs are loaded. */
void hyb_bpf_slots_start(void);
/*
 * A slot for the thread: the descriptor of its block, which stays the collector's, and its place there in bytes. 0, or
 * -errno: -EDQUOT: the user may have no more memory.
 */
int hyb_bpf_slot_give(uint32_t tgid, uint32_t tid, int *block, uint64_t *at);
/* A thread with a slot ended, at that moment of CLOCK_MONOTONIC. */
void hyb_bpf_slot_ended(uint32_t tid, uint64_t time);
/* Frees all of it, also if it was not started. */
void hyb_bpf_slots_end(void);

#endif
