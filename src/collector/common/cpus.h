/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPUs of this machine. */
#ifndef HYB_COLLECTOR_COMMON_CPUS_H
#define HYB_COLLECTOR_COMMON_CPUS_H

#include <stdint.h>

/*
 * Calls visit for each range of CPUs that are online, in order, until it returns another value than 0. That value, or
 * -errno if the CPUs are not known.
 */
int hyb_cpus_online(int (*visit)(uint32_t from, uint32_t to));

#endif
