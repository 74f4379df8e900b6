/* SPDX-License-Identifier: BSD-3-Clause */
/* What /proc tells of processes, and of the kernel's settings. */
#ifndef HYB_COLLECTOR_COMMON_PROC_H
#define HYB_COLLECTOR_COMMON_PROC_H

#include <stdint.h>

typedef void (*hyb_proc_visitor)(uint32_t tgid, uint32_t tid);

/* Calls the visitor for each thread that process tgid has now. 0, or -errno: the process is gone. */
int hyb_proc_threads(uint32_t tgid, hyb_proc_visitor visit);
/* The same for all processes that can be seen. */
void hyb_proc_all_threads(hyb_proc_visitor visit);
/* The parent of process tgid, 0: it is in another pid namespace. -ESRCH: tgid is gone. */
long hyb_proc_parent(uint32_t tgid);
/* The number in a file of /proc/sys, or `otherwise` if it cannot be read. */
long hyb_proc_setting(const char *path, long otherwise);

#endif
