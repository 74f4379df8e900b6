/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of what records have numbers of. Each name is defined once, when it is first needed. */
#ifndef HYB_COLLECTOR_COMMON_NAME_H
#define HYB_COLLECTOR_COMMON_NAME_H

#include <stdint.h>

void hyb_name_syscall(uint32_t number);
/* name: NULL if it is not known; those of enum hyb_irq_vector are. */
void hyb_name_irq(uint32_t number, const char *name);
void hyb_name_device(uint32_t device);
/* Defines the names of all softirqs and signals. */
void hyb_name_start(void);

#endif
