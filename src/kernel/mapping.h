/* SPDX-License-Identifier: BSD-3-Clause */
/* What processes map to be executed, as perf tells: so that addresses in call chains have names. */
#ifndef HYB_KERNEL_MAPPING_H
#define HYB_KERNEL_MAPPING_H

#include <linux/perf_event.h>
#include <stdint.h>

/* A PERF_RECORD_MMAP2: of the job's processes it is kept. */
void hyb_mapping_take(const struct perf_event_header *header);

/*
 * For a source that has no such records: from now on these are read of that CPU. poll: as a source's open has it. 0 or
 * -errno.
 */
int hyb_mapping_open(uint32_t cpu, int poll);
/* Takes what there is. */
void hyb_mapping_drain(void);
void hyb_mapping_close(void);

#endif
