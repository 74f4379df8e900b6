/* SPDX-License-Identifier: BSD-3-Clause */
/* From the records of the programs in the kernel to those of the streams. */
#ifndef HYB_KERNEL_BPF_TAKE_H
#define HYB_KERNEL_BPF_TAKE_H

#include <linux/types.h>
#include <stdbool.h>

#include "kernel/bpf/layout.h"
#include "kernel/output.h"

/* all: the tasks that are there are to be known by their names. */
void hyb_bpf_take_start(bool all);
/* The name of an interrupt is defined when it is first met. */
void hyb_bpf_name_irq(uint32_t number);
/* A record of `size` bytes, 16 at least, with its time as streams have it. */
void hyb_bpf_take(struct hyb_output *out, const struct hyb_bpf_record *r, uint32_t size, uint64_t time);

#endif
