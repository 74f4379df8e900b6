/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share: the sink while it writes, and a location of the archive. */
#ifndef HYB_EXPORT_OTF2_LOCATION_H
#define HYB_EXPORT_OTF2_LOCATION_H

#include "merge/merge.h"
#include "export/otf2/archive.h"

#define HYB_OTF2_IO_PARADIGM 0u	  /* the only one */
#define HYB_OTF2_GROUP_FIRST 2u	  /* of the communicators' groups, of paradigm MPI */

/* What a track has of a class of counters. */
struct hyb_otf2_metric {
	const struct hyb_gmetric_class *class;
	uint32_t instance; /* as of struct hyb_merge_event */
	uint32_t first;	   /* the archive's number of its class or instance, of the first piece */
	bool pending;	   /* written, and nothing after it */
	uint64_t written;
	uint64_t at_regions; /* of these, directly before an Enter or Leave */
	OTF2_Type *types;    /* of each member; with the values, while the track is written */
	OTF2_MetricValue *values;
};

struct hyb_otf2_metrics {
	struct hyb_otf2_metric *list;
	size_t count;
	size_t room;
	uint64_t regions; /* Enters and Leaves of the track */
	uint32_t pending; /* metrics that are */
	int64_t time;	  /* of the last one */
};

struct hyb_sink {
	const struct hyb_merge *m;
	struct hyb_archive archive;
	uint64_t *events; /* of each track, as the archive counts them */
	struct hyb_otf2_metrics *metrics; /* of each track, once it is written */
	struct hyb_otf2_samples *samples; /* NULL: this is not their archive */
};

/* A location while its events are written. A writer that failed once must not be touched again. */
struct hyb_otf2_track {
	struct hyb_sink *sink;
	size_t index;
	OTF2_EvtWriter *writer;
	OTF2_AttributeList *attributes;
	struct hyb_otf2_metrics metrics;
	struct hyb_otf2_sampled *sampled; /* NULL: this is not the archive of samples */
	OTF2_ErrorCode code; /* the library's first error */
};

/* write.c: struct hyb_sink_ops.event. */
int hyb_otf2_write(void *state, const struct hyb_merge_event *e);
/* metric.c: HYB_KIND_METRIC. */
OTF2_ErrorCode hyb_otf2_write_metric(struct hyb_otf2_track *t, uint64_t time, const struct hyb_merge_event *e);
/* metric.c: an Enter or Leave comes after metrics; or something else, time INT64_MIN. */
void hyb_otf2_metrics_over(struct hyb_otf2_metrics *metrics, int64_t time);
/* metric.c: the track is written: what is left is for definitions; and those are written. */
void hyb_otf2_metrics_close(struct hyb_otf2_metrics *metrics);
void hyb_otf2_metrics_free(struct hyb_otf2_metrics *metrics);
/* define.c: writes all definitions and properties. 0 or -errno. */
int hyb_otf2_define(struct hyb_sink *sink);

/* The archive's id of a group by its index in comms. */
static inline uint32_t hyb_otf2_group(uint32_t index)
{
	return HYB_OTF2_GROUP_FIRST + index;
}

/* The archive's communicator for a team's group; HYB_COMM_NONE: the thread alone. */
static inline uint32_t hyb_otf2_team(const struct hyb_sink *sink, uint32_t group)
{
	return sink->m->model.teams.first_comm + (group == HYB_COMM_NONE ? 0 : 1 + group);
}

/* The archive's id of an attribute: the kernel's are only there where there is something of it. */
static inline uint32_t hyb_otf2_attribute(const struct hyb_merge *m, enum hyb_attribute_id id)
{
	return hyb_attribute_is_parameter(id) && !m->model.node_count ? id - (HYB_ATTRIBUTES - HYB_ATTRIBUTE_KERNEL) : id;
}

static inline OTF2_Type hyb_otf2_type(enum hyb_value_type type)
{
	static const OTF2_Type types[] = {
		[HYB_VALUE_UINT8] = OTF2_TYPE_UINT8,   [HYB_VALUE_INT32] = OTF2_TYPE_INT32,
		[HYB_VALUE_INT64] = OTF2_TYPE_INT64,   [HYB_VALUE_UINT64] = OTF2_TYPE_UINT64,
		[HYB_VALUE_DOUBLE] = OTF2_TYPE_DOUBLE, [HYB_VALUE_TEXT] = OTF2_TYPE_STRING,
	};

	return types[type];
}

#endif
