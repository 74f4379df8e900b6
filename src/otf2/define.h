/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files share that write the archive's definitions: define.c, topology.c, and kdefine.c for what is of the
 * kernel.
 */
#ifndef HYB_OTF2_DEFINE_H
#define HYB_OTF2_DEFINE_H

#include "otf2/merge.h"

#define NODE_MACHINE 0u
#define NODE_FIRST 1u /* of the hosts */

struct define {
	struct hyb_merge *m;
	OTF2_GlobalDefWriter *writer;
	uint32_t strings;      /* written so far */
	uint32_t unknown_node; /* where ranks are that left no trace */
	uint32_t cpu_first;    /* of the CPUs' nodes */
	OTF2_ErrorCode code;
	bool no_memory;
};

/* A writer that failed once must not be touched again: the library has freed half of it. */
static inline void check(struct define *d, OTF2_ErrorCode code)
{
	if (code == OTF2_SUCCESS || d->code != OTF2_SUCCESS)
		return;
	d->code = code;
	d->writer = NULL;
}

static inline void write_strings(struct define *d)
{
	const struct hyb_names *names = &d->m->names;

	for (; d->strings < names->table.count; d->strings++)
		check(d, OTF2_GlobalDefWriter_WriteString(d->writer, d->strings,
							  hyb_names_text(names, d->strings)));
}

static inline uint32_t name(struct define *d, const char *text)
{
	uint32_t number = hyb_names_add(&d->m->names, text);

	d->no_memory |= number == HYB_NAME_NONE;
	write_strings(d);
	return number;
}

static inline void define_node(struct define *d, uint32_t id, const char *class, const char *text,
			uint32_t parent, OTF2_SystemTreeDomain domain)
{
	uint32_t class_name = name(d, class), own_name = name(d, text);

	check(d, OTF2_GlobalDefWriter_WriteSystemTreeNode(d->writer, id, own_name, class_name,
							  parent));
	check(d, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(d->writer, id, domain));
}

static inline void define_group(struct define *d, uint32_t id, uint32_t text, uint32_t node)
{
	check(d, OTF2_GlobalDefWriter_WriteLocationGroup(d->writer, id, text,
							 OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
							 OTF2_UNDEFINED_LOCATION_GROUP));
}

static inline void define_attribute(struct define *d, uint32_t id, const char *text,
			     const char *description, OTF2_Type type)
{
	uint32_t text_name = name(d, text), description_name = name(d, description);

	check(d, OTF2_GlobalDefWriter_WriteAttribute(d->writer, id, text_name, description_name,
						     type));
}

/* topology.c: the shapes of communicators, after these and the location groups. */
void hyb_define_topologies(struct define *d);

/* The CPUs as nodes of the tree, from that id on. */
void hyb_define_cpus(struct define *d, uint32_t first);
/* And their locations. */
void hyb_define_cpu_locations(struct define *d);
/* Attributes, and groups of regions from that id on. */
void hyb_define_kernel(struct define *d, uint32_t group);

/* attributes.c: enum hyb_merge_attribute. */
void hyb_define_attributes(struct define *d);

#endif
