/* SPDX-License-Identifier: BSD-3-Clause */
/* Call chains: each different chain is defined once, and so is what readers need to name its addresses. */
#ifndef HYB_COLLECTOR_COMMON_CHAIN_H
#define HYB_COLLECTOR_COMMON_CHAIN_H

#include <stdint.h>

/* Defines the names of the kernel's functions in all chains. It takes long, so it is done at the end. */
void hyb_chain_name_functions(void);
/*
 * The number of a chain as the kernel recorded it: `count` addresses, and marks among them that say whose addresses
 * follow (PERF_CONTEXT_*). The program is process tgid's. 0: the chain is empty.
 */
uint64_t hyb_chain_define(const uint64_t *chain, uint64_t count, uint32_t tgid);
/* Defines what process tgid has mapped as code by now. now: nanoseconds. */
void hyb_chain_add_process(uint32_t tgid, uint64_t now);
/* Process tgid maps one more file as code. now: nanoseconds. */
void hyb_chain_add_mapping(uint32_t tgid, uint64_t now, uint64_t address, uint64_t length, uint64_t offset,
			   const char *path);

#endif
