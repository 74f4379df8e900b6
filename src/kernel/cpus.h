/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPUs of this machine. */
#ifndef HYB_KERNEL_CPUS_H
#define HYB_KERNEL_CPUS_H

#include <stdint.h>

/*
 * Calls visit for those online, in order, `from` to `to`, until it returns not 0. That, or -errno: nobody knows them.
 */
int hyb_cpus_online(int (*visit)(uint32_t from, uint32_t to));

#endif
