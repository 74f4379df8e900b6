/* SPDX-License-Identifier: BSD-3-Clause */
/* From the records of the programs in the kernel to those of the streams. */
#ifndef HYB_COLLECTOR_BPF_TAKE_H
#define HYB_COLLECTOR_BPF_TAKE_H

#include <linux/types.h>
#include <stdbool.h>

#include "collector/bpf/layout.h"
#include "collector/common/output.h"

/* Before the first record. all: the details of all tasks are recorded, so those that exist get their names. */
void hyb_bpf_take_start(bool all);
/* Defines the name of an interrupt, the first time. */
void hyb_bpf_name_irq(uint32_t number);
/* Takes a record of `size` bytes, 16 at least. time: as streams have it. */
void hyb_bpf_take(struct hyb_output *out, const struct hyb_bpf_record *r, uint32_t size, uint64_t time);

#endif
