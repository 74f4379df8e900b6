/* SPDX-License-Identifier: BSD-3-Clause */
/* What processes map as code, by the records of perf: it gives the addresses in call chains their names. */
#ifndef HYB_COLLECTOR_COMMON_MAPPING_H
#define HYB_COLLECTOR_COMMON_MAPPING_H

#include <linux/perf_event.h>
#include <stdint.h>

/* Takes a PERF_RECORD_MMAP2. If it is a process of the job's, the mapping is defined. */
void hyb_mapping_take(const struct perf_event_header *header);

/*
 * For a source whose own rings have no such records: opens a ring for those of a CPU. poll: as a source's open has it.
 * 0 or -errno.
 */
int hyb_mapping_open(uint32_t cpu, int poll);
/* Takes the records of these rings. */
void hyb_mapping_drain(void);
void hyb_mapping_close(void);

#endif
