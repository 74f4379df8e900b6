/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of what has numbers: each is defined when it is first needed, once. */
#ifndef HYB_KERNEL_NAME_H
#define HYB_KERNEL_NAME_H

#include <stdint.h>

void hyb_name_syscall(uint32_t number);
/* name may be NULL. */
void hyb_name_irq(uint32_t number, const char *name);
void hyb_name_device(uint32_t device);
/* Softirqs and signals, all of them. */
void hyb_name_start(void);

#endif
