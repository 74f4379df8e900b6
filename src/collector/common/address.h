/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's addresses. A user who may not see them in /proc/kallsyms does not see them in streams either. There he
 * has hashes, which tell addresses apart and stay the same for the whole recording.
 */
#ifndef HYB_COLLECTOR_COMMON_ADDRESS_H
#define HYB_COLLECTOR_COMMON_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Decides whether this user may see them. */
void hyb_address_start(void);
bool hyb_address_hidden(void);
/* What a stream has for an address of the kernel's. */
uint64_t hyb_address_hide(uint64_t address);

/* The same for an address that may also be the program's. The kernel's have the highest bit. */
static inline uint64_t hyb_address_shown(uint64_t address)
{
	return address >> 63 ? hyb_address_hide(address) : address;
}

#endif
