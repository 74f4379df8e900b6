/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where kernel events come from: what each source offers to the collector, which rights it needs, and what to tell a
 * user who lacks them. One source is open at a time (job/source-list.h).
 */
#ifndef HYB_COLLECTOR_COMMON_SOURCE_H
#define HYB_COLLECTOR_COMMON_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/collector.h"

struct hyb_source {
	const char *name;
	/* For the user, if open returns -EPERM or -EACCES: what is missing, and what to do. */
	const char *not_allowed;
	/* The capabilities that it needs after open. All others are given up then. */
	uint64_t capabilities;
	/* It opens events as long as it runs, so only with its user's own rights: others are given up before open. */
	bool as_user;
	bool has_profile;
	/* With HYB_KERNEL_CALLCHAIN it tells which files are mapped as code. */
	bool has_mappings;
	/* In the service, before it forks: reads what only root may read, and says what it cannot. May be NULL. */
	void (*prepare)(void);
	/*
	 * Begins to record. poll: an epoll instance; whatever the source adds to it has data 0, and asks for a drain.
	 * It tells by hyb_source_missing which events it cannot have. 0, or -errno with nothing left open; -ECANCELED:
	 * it told why.
	 */
	int (*open)(const struct hyb_collect_request *wish, int poll);
	/* A process came. Its rights are looked at next; if they change meanwhile, it is not recorded. May be NULL. */
	void (*expect_process)(uint32_t tgid);
	/* A process of the job, which the tasks know already. */
	void (*add_process)(uint32_t tgid);
	/* Writes what there is into the streams. */
	void (*drain)(void);
	/* Stops, drains for the last time, and closes the streams. */
	void (*close)(void);
	/* How many events the kernel had no space for, as far as it is known by now. */
	uint64_t (*lost)(void);
	/*
	 * Memory in which the kernel adds up what it does to a thread of the job: a descriptor that can be mapped, which
	 * stays the source's, and where in it, as format/kernel-slot.h says. 0 or -errno. NULL: it has none.
	 */
	int (*give_slot)(uint32_t tgid, uint32_t tid, int *fd, uint64_t *at);
	/* The name of stream `index`, from 0. False: there are not so many. */
	bool (*stream_name)(unsigned int index, char *buf, unsigned int size);
};

extern const struct hyb_source hyb_source_bpf;
extern const struct hyb_source hyb_source_perf;
extern const struct hyb_source hyb_source_self;
/* Nothing of the kernel: where only samples are taken. */
extern const struct hyb_source hyb_source_off;

/* Tells the user what is missing, and why: in the manifest, or on the standard output if a source is only tried. */
void hyb_source_missing(const char *what, const char *why);
/* The same of buffers that are smaller than wanted, because the user may have no more. */
void hyb_source_cut(uint64_t wanted, uint64_t size);
/* The words of HYBMON_KERNEL_EVENTS for these groups, enum hyb_kernel_group. */
void hyb_source_group_names(uint32_t events, char *buf, size_t size);

#endif
