/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files share that write the archive's definitions: define.c, topology.c, and define-kernel.c for what is of the
 * kernel.
 */
#ifndef HYB_EXPORT_OTF2_DEFINE_H
#define HYB_EXPORT_OTF2_DEFINE_H

#include "merge/sink/title.h"
#include "export/otf2/location.h"

#define NODE_MACHINE 0u
#define NODE_FIRST 1u /* of the hosts */

struct hyb_define {
	const struct hyb_merge *m;
	struct hyb_sink *sink;
	struct hyb_names own;  /* texts that the model does not have; their numbers follow */
	OTF2_GlobalDefWriter *writer;
	uint32_t strings;      /* of the model, written so far */
	uint32_t unknown_node; /* where ranks are that left no trace */
	uint32_t cpu_first;    /* of the CPUs' nodes */
	OTF2_ErrorCode code;
	bool no_memory;
};

/* A writer that failed once must not be touched again: the library has freed half of it. */
static inline void hyb_define_check(struct hyb_define *d, OTF2_ErrorCode code)
{
	if (code == OTF2_SUCCESS || d->code != OTF2_SUCCESS)
		return;
	d->code = code;
	d->writer = NULL;
}

/* The number of a text, which is written if need be. */
uint32_t hyb_define_name(struct hyb_define *d, const char *text);
/* The same for formatted text. */
uint32_t hyb_define_format(struct hyb_define *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline void hyb_define_node(struct hyb_define *d, uint32_t id, const char *class, const char *text,
			uint32_t parent, OTF2_SystemTreeDomain domain)
{
	uint32_t class_name = hyb_define_name(d, class), own_name = hyb_define_name(d, text);

	hyb_define_check(d, OTF2_GlobalDefWriter_WriteSystemTreeNode(d->writer, id, own_name, class_name,
							  parent));
	hyb_define_check(d, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(d->writer, id, domain));
}

static inline void hyb_define_location_group(struct hyb_define *d, uint32_t id, uint32_t text, uint32_t node)
{
	hyb_define_check(d, OTF2_GlobalDefWriter_WriteLocationGroup(d->writer, id, text,
							 OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
							 OTF2_UNDEFINED_LOCATION_GROUP));
}

static inline void hyb_define_attribute(struct hyb_define *d, uint32_t id, const char *text,
			     const char *description, OTF2_Type type)
{
	uint32_t text_name = hyb_define_name(d, text), description_name = hyb_define_name(d, description);

	hyb_define_check(d, OTF2_GlobalDefWriter_WriteAttribute(d->writer, id, text_name, description_name,
						     type));
}

/* topology.c: the shapes of communicators, after these and the location groups. */
void hyb_define_topologies(struct hyb_define *d);

/* The CPUs as nodes of the tree, from that id on. */
void hyb_define_cpus(struct hyb_define *d, uint32_t first);
/* And their locations. */
void hyb_define_cpu_locations(struct hyb_define *d);
/* metric.c: counters, their classes, and who has them. */
void hyb_define_metrics(struct hyb_define *d);
/* define-samples.c: what samples name. */
void hyb_define_samples(struct hyb_define *d);
/* Attributes of all events, and groups of regions from that id on. */
void hyb_define_kernel(struct hyb_define *d, uint32_t group);

#endif
