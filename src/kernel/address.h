/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's addresses: who may not see them in /proc/kallsyms does not see them in streams. He has numbers in their
 * place by which they can be told apart, the same ones for the whole recording.
 */
#ifndef HYB_KERNEL_ADDRESS_H
#define HYB_KERNEL_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Decides whether this user may see them. */
void hyb_address_start(void);
bool hyb_address_hidden(void);
/* What stands for an address of the kernel's. */
uint64_t hyb_address_hide(uint64_t address);

/* What stands for one that may be the program's, too: the kernel's are those with the highest bit. */
static inline uint64_t hyb_address_shown(uint64_t address)
{
	return address >> 63 ? hyb_address_hide(address) : address;
}

#endif
