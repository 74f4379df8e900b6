/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a process tells the node's collector (src/kernel) of itself, and starts it where there is none yet. Nobody
 * waits for the collector: the socket that it will listen on is made here.
 */
#ifndef HYB_CORE_COLLECT_H
#define HYB_CORE_COLLECT_H

#include <stdint.h>

#define HYB_COLLECT_MAGIC	0x6879626bu	/* "hybk" */
#define HYB_COLLECT_VERSION	1

/* All that is said. Who says it, the socket knows. */
struct hyb_collect_hello {
	uint32_t magic;
	uint32_t version;
};

/*
 * Makes this process one whose kernel events are recorded into `experiment`. start_dir: what a relative spool is
 * in. What goes wrong is said once; nothing else changes for the program. Blocks for the milliseconds
 * that an exec takes, in one process of a node.
 */
void hyb_collect_start(const char *experiment, const char *job, const char *start_dir);

#endif
