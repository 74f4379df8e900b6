/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this room share: the sink while it writes, and a location of the archive. */
#ifndef HYB_OTF2_LOCATION_H
#define HYB_OTF2_LOCATION_H

#include "merge/merge.h"
#include "otf2/archive.h"

#define HYB_OTF2_IO_PARADIGM 0u	  /* the only one */
#define HYB_OTF2_KERNEL_METRIC 0u /* the class of enum hyb_kernel_count */

struct hyb_sink {
	const struct hyb_merge *m;
	struct hyb_archive archive;
	uint64_t *events; /* of each track, as the archive counts them */
};

/* A location while its events are written. A writer that failed once must not be touched again. */
struct hyb_otf2_track {
	struct hyb_sink *sink;
	size_t index;
	OTF2_EvtWriter *writer;
	OTF2_AttributeList *attributes;
	OTF2_ErrorCode code; /* the library's first error */
};

/* write.c: struct hyb_sink_ops.event. */
int hyb_otf2_write(void *state, const struct hyb_merge_event *e);
/* define.c: writes all definitions and properties. 0 or -errno. */
int hyb_otf2_define(struct hyb_sink *sink);
/* define.c: the archive's id of a group by its index in comms. */
uint32_t hyb_otf2_group(uint32_t index);
/* define.c: the archive's communicator for a team's group; HYB_COMM_NONE: the thread alone. */
uint32_t hyb_otf2_team(const struct hyb_sink *sink, uint32_t group);
OTF2_Type hyb_otf2_type(enum hyb_value_type type);

#endif
