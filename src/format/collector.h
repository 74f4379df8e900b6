/* SPDX-License-Identifier: BSD-3-Clause */
/* What libhybmon and hybmon-collect, or its service, say to each other by a socket. Both are of one build. */
#ifndef HYB_FORMAT_COLLECTOR_H
#define HYB_FORMAT_COLLECTOR_H

#include <stdint.h>

#define HYB_COLLECT_MAGIC	0x6879626bu	/* "hybk" */
#define HYB_COLLECT_VERSION	5

/* All that is said. Who says it, the socket knows. */
struct hyb_collect_hello {
	uint32_t magic;
	uint32_t version;
	uint32_t tid;		/* 0: a process comes; a thread of one that came: it asks for a slot */
	uint32_t reserved;
};

/* To a process that came. It may have closed the connection: not all wait for this. */
struct hyb_collect_welcome {
	uint32_t magic;
	int32_t error;		/* 0: what the kernel does under it is recorded from now on; -errno: it is not */
};

/* To a thread. With it comes the descriptor that it is to map, read-only, if there is no error. */
struct hyb_collect_slot {
	uint32_t magic;
	int32_t error;		/* 0 or -errno; -EOPNOTSUPP: there are none */
	uint64_t at;		/* where in it its struct hyb_kernel_slot is: a multiple of HYB_SLOT_PAGE */
};

enum hyb_collect_text {
	HYB_COLLECT_EXPERIMENT,		/* path, for the manifest: the directory comes open */
	HYB_COLLECT_JOB,
	HYB_COLLECT_DIRECTORY,		/* what a relative spool is in */
	HYB_COLLECT_SPOOL,
	HYB_COLLECT_TMPDIR,
	HYB_COLLECT_SAMPLE,		/* as HYBMON_SAMPLE; empty: no samples */
	HYB_COLLECT_TEXTS
};

/*
 * To the service, or to a collector of the job's own: this, then the texts, each with a zero behind it. With it come two
 * descriptors: the socket that the job's processes come to, listening, and the experiment's directory. The job's own
 * collector has it by the socket that it inherits (--request).
 */
struct hyb_collect_request {
	uint32_t magic;
	uint32_t version;
#define HYB_COLLECT_SETTING(member, config, kind, least, most, multiple) uint64_t member;
#include "format/collector.tbl.h"
#undef HYB_COLLECT_SETTING
};

/* From the service, once. */
struct hyb_collect_answer {
	uint32_t magic;
	int32_t error;			/* 0: it collects; -errno */
	char text[248];			/* why not */
};

#endif
