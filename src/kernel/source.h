/* SPDX-License-Identifier: BSD-3-Clause */
/* Where kernel events come from: what each source offers to the collector. One is open at a time. */
#ifndef HYB_KERNEL_SOURCE_H
#define HYB_KERNEL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hyb_kernel_wish {
	uint32_t events;	/* enum hyb_kernel_group */
	uint64_t buffer;	/* bytes for each CPU */
	bool all;		/* tasks, not only the job's */
	bool trace;		/* records of each event */
	bool profile;		/* sums of them, made in the kernel */
};

struct hyb_source {
	const char *name;
	/*
	 * Begins to record. poll: an epoll instance; whatever the source adds to it has data 0, and asks for a drain.
	 * 0, or
	 * -errno with nothing left open; what could not be had of the events is in the manifest. -ECANCELED: also why.
	 */
	int (*open)(const struct hyb_kernel_wish *wish, int poll);
	/*
	 * One that may be of the job, and is looked at now: what rights it has taken by then is told apart. May be
	 * NULL.
	 */
	void (*expect_process)(uint32_t tgid);
	/* A process of the job, which the tasks know already. */
	void (*add_process)(uint32_t tgid);
	/* Writes out what there is. */
	void (*drain)(void);
	/* Stops, drains for the last time, and closes the streams. */
	void (*close)(void);
	/* Events that the kernel had no space for, as far as known by now. */
	uint64_t (*lost)(void);
	/* The names of the streams: false behind the last. index from 0. */
	bool (*stream_name)(unsigned int index, char *buf, unsigned int size);
};

extern const struct hyb_source hyb_source_bpf;
extern const struct hyb_source hyb_source_perf;
extern const struct hyb_source hyb_source_self;

/* The words of HYBMON_KERNEL_EVENTS for enum hyb_kernel_group. */
void hyb_kernel_group_names(uint32_t events, char *buf, size_t size);
/* The same of buffers that are smaller than wanted, for the user may have no more. */
void hyb_source_cut(uint64_t wanted, uint64_t size);
/* A line in the manifest: what is missing, and why. Where a source is only tried, on the standard output. */
void hyb_source_missing(const char *what, const char *why);

#endif
