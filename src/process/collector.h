/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a process tells the node's collector (src/kernel) of itself, and starts it where there is none yet. Nobody
 * waits for the collector: the socket that it will listen on is made here.
 */
#ifndef HYB_PROCESS_COLLECTOR_H
#define HYB_PROCESS_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#define HYB_COLLECT_MAGIC	0x6879626bu	/* "hybk" */
#define HYB_COLLECT_VERSION	1

/* All that is said. Who says it, the socket knows. */
struct hyb_collect_hello {
	uint32_t magic;
	uint32_t version;
};

/* The service, too, lets a job have as much, and no less. */
#define HYB_COLLECT_BUFFER_MIN	4096u
#define HYB_COLLECT_BUFFER_MAX	(1u << 30)
#define HYB_COLLECT_RING_MAX	(UINT64_C(1) << 44)

enum hyb_collect_text {
	HYB_COLLECT_EXPERIMENT,		/* path, for the manifest: the directory comes open */
	HYB_COLLECT_JOB,
	HYB_COLLECT_DIRECTORY,		/* what a relative spool is in */
	HYB_COLLECT_SPOOL,
	HYB_COLLECT_TMPDIR,
	HYB_COLLECT_TEXTS
};

/*
 * To the service: this, then the texts, each with a zero behind it. With it come two descriptors: the socket that the
 * job's processes come to, listening, and the experiment's directory.
 */
struct hyb_collect_request {
	uint32_t magic;
	uint32_t version;
	uint32_t source;		/* enum hyb_kernel */
	uint32_t events;		/* enum hyb_kernel_group */
	uint32_t tasks;			/* enum hyb_kernel_tasks */
	uint32_t profile;		/* enum hyb_kernel_profile */
	uint64_t buffer;
	uint64_t chunk;
	uint64_t ring;
};

/* From it, once. */
struct hyb_collect_answer {
	uint32_t magic;
	int32_t error;			/* 0: it collects; -errno */
	char text[248];			/* why not */
};

/* Who listens at the other end of a connected socket: this user, or root. Nobody else is told anything. */
bool hyb_collect_is_trusted(long fd);

/* Asks the service, where there is one, to collect for the job. 0: it does. */
int hyb_service_ask(long listener, const char *experiment, const char *job, const char *start_dir);

/* Before that: what the dynamic linker has to be asked for. */
void hyb_collect_look(void);
/*
 * Makes this process one whose kernel events are recorded into `experiment`. start_dir: what a relative spool is
 * in. What goes wrong is said once; nothing else changes for the program. Blocks for the milliseconds
 * that an exec takes, in one process of a node.
 */
void hyb_collect_start(const char *experiment, const char *job, const char *start_dir);

#endif
