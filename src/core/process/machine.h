/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What of the machine the process may use, for its manifest: CPUs, a quota, and how long that kept it from them. Needs no
 * rights; where a file is missing, so is its line. Once each, by one thread.
 */
#ifndef HYB_CORE_PROCESS_MACHINE_H
#define HYB_CORE_PROCESS_MACHINE_H

/* Each calls add for each line that there is. */
void hyb_machine_begin(void (*add)(const char *key, const char *value));
void hyb_machine_end(void (*add)(const char *key, const char *value));

#endif
