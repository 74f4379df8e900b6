/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs in the kernel: loading and attaching them, and the memory that they share with the collector. */
#ifndef HYB_COLLECTOR_BPF_LOAD_H
#define HYB_COLLECTOR_BPF_LOAD_H

#include <linux/types.h>
#include <stdint.h>

#include "collector/bpf/layout.h"
#include "collector/common/source.h"

/*
 * Loads the programs that the wish needs, and maps what is shared. rings: descriptors of the CPUs' rings, by the CPU's
 * number, -1: it has none. Says which programs cannot be had. 0, or -errno with nothing left; -ECANCELED: it said why.
 */
int hyb_bpf_load(const struct hyb_collect_request *wish, const int *rings, uint32_t count);
/* Attaches the programs: from here on there are records. 0 or -errno. */
int hyb_bpf_attach(void);
/* The same for page faults, which each CPU tells for itself. */
void hyb_bpf_attach_cpu(uint32_t number);
/* From here on there are no records. */
void hyb_bpf_detach(void);
void hyb_bpf_unload(void);
/* The map of the side ring, which says who belongs to whom, and its size in bytes. */
int hyb_bpf_side(uint64_t *size);
/* The descriptor of one of the profile's maps. */
int hyb_bpf_map(const char *name);
struct hyb_bpf_shared *hyb_bpf_shared(void);
struct hyb_bpf_cpu *hyb_bpf_cpu(uint32_t number);
/* How many events the kernel called no program for, because the same program was running on that CPU. */
uint64_t hyb_bpf_missed(void);

#endif
