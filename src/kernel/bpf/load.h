/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs in the kernel: loaded, attached, and what is shared with them. */
#ifndef HYB_KERNEL_BPF_LOAD_H
#define HYB_KERNEL_BPF_LOAD_H

#include <linux/types.h>
#include <stdint.h>

#include "kernel/bpf/layout.h"
#include "kernel/source.h"

/*
 * Loads what the wish takes, and maps what is shared. rings: `count` descriptors of maps, each CPU's ring by the CPU's
 * number, -1: none. 0 or -errno with nothing left, -ECANCELED: why is in the manifest; as is what could not be had.
 */
int hyb_bpf_load(const struct hyb_kernel_wish *wish, const int *rings, uint32_t count);
/* From here on there are records. 0 or -errno. */
int hyb_bpf_attach(void);
/* Page faults are to be asked of each CPU. */
void hyb_bpf_attach_cpu(uint32_t number);
/* No more records from here on. */
void hyb_bpf_detach(void);
void hyb_bpf_unload(void);
/* The ring of all CPUs that says who belongs to whom: the map, and its bytes. */
int hyb_bpf_side(uint64_t *size);
/* The map of the profile's sums. */
int hyb_bpf_profile_map(void);
struct hyb_bpf_shared *hyb_bpf_shared(void);
struct hyb_bpf_cpu *hyb_bpf_cpu(uint32_t number);
/* Events for which the kernel did not call our programs, since they came while one of their kind was being handled. */
uint64_t hyb_bpf_missed(void);

#endif
