/* SPDX-License-Identifier: BSD-3-Clause */
/* Call chains: each different one is defined once, with what is needed to name what is in it. */
#ifndef HYB_KERNEL_CHAIN_H
#define HYB_KERNEL_CHAIN_H

#include <stdint.h>

/* The end: names the kernel's functions that were met. That takes its time, which events do not have. */
void hyb_chain_name_functions(void);
/*
 * The number of a chain as the kernel recorded it: `count` addresses with marks between them that say whose they are.
 * The program is process tgid's. 0: there is none.
 */
uint64_t hyb_chain_define(const uint64_t *chain, uint64_t count, uint32_t tgid);
/* What process tgid has mapped by now, nanoseconds, to be executed. */
void hyb_chain_add_process(uint32_t tgid, uint64_t now);
/* It mapped more. now: nanoseconds. */
void hyb_chain_add_mapping(uint32_t tgid, uint64_t now, uint64_t address, uint64_t length, uint64_t offset,
		      const char *path);

#endif
