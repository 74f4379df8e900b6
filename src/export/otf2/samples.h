/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples as an archive of their own: each is a node of the tree of calling contexts, which are the regions that are
 * open and the functions of the call chain. Each track has a tree with numbers of its own (sampled.c), so that tracks
 * are told without a lock; at the end they become one (samples.c), and tables translate the numbers.
 */
#ifndef HYB_EXPORT_OTF2_SAMPLES_H
#define HYB_EXPORT_OTF2_SAMPLES_H

#include "reader/containers/idmap.h"
#include "reader/containers/table.h"
#include "merge/kernel/callpath.h"
#include "export/otf2/location.h"

#define HYB_OTF2_WEIGHT 0u /* the only attribute of that archive */

/* A node of a track's tree: a region, or a frame of a node's chains. */
struct hyb_otf2_context {
	uint32_t parent; /* number plus 1; 0: it is outermost */
	uint32_t depth;	 /* from 1 */
	const struct hyb_gregion *region;
	const struct hyb_chains *chains;
	const struct hyb_frame *frame;
};

/* What a track's samples were of. */
struct hyb_otf2_generator {
	uint64_t count;
	uint64_t weight;
};

struct hyb_otf2_sampled {
	struct hyb_table contexts; /* struct hyb_otf2_context */
	struct hyb_id_map *known;  /* hash of open regions and a chain -> context; NULL once the track is told */
	const struct hyb_gregion **open;
	uint64_t *hashes; /* of those up to each */
	size_t depth;
	size_t open_room;
	size_t hash_room;
	struct hyb_callpath path;
	uint32_t last;	   /* context of the last sample, plus 1 */
	uint32_t *numbers; /* of the contexts in the archive, once joined */
	/* By the number of what was sampled among those of all nodes, up to the last that has a sample. */
	struct hyb_otf2_generator *generators;
	size_t generator_count;
	size_t generator_room;
};

/* A function in the archive: a region after those of the model. */
struct hyb_otf2_function {
	const char *name;
	const char *file; /* of its source, NULL: not known */
	const char *path; /* of the binary, NULL: none */
	uint32_t kind;	  /* enum hyb_frame_kind */
};

struct hyb_otf2_place {
	const char *file;
	uint32_t line;
};

/* A node of the archive's tree. */
struct hyb_otf2_node {
	uint32_t parent; /* number plus 1 */
	uint32_t region; /* of the model; UINT32_MAX: */
	uint32_t function;
	uint32_t place; /* plus 1; 0: not known */
};

struct hyb_otf2_samples {
	const struct hyb_merge *m;
	struct hyb_otf2_sampled **tracks; /* by their index */
	struct hyb_id_map *locations;	  /* to the track, once joined */
	uint64_t *location;		  /* of each track */
	struct hyb_table functions;	  /* struct hyb_otf2_function */
	struct hyb_table places;	  /* struct hyb_otf2_place */
	struct hyb_table nodes;		  /* struct hyb_otf2_node */
};

/* NULL without memory. */
struct hyb_otf2_samples *hyb_otf2_samples_new(const struct hyb_merge *m);
void hyb_otf2_samples_free(struct hyb_otf2_samples *s); /* NULL is fine */
/* A track's part; NULL without memory. */
struct hyb_otf2_sampled *hyb_otf2_sampled_of(struct hyb_otf2_samples *s, const struct hyb_track *track);
/* When all tracks are told: makes one tree of theirs. 0 or -ENOMEM. */
int hyb_otf2_samples_join(struct hyb_otf2_samples *s);
/* Writes a location's table of numbers, if it has samples. 0 or -errno. */
int hyb_otf2_samples_map(struct hyb_sink *sink, OTF2_DefWriter *writer, uint64_t location);

/* sampled.c: struct hyb_sink_ops.event. */
int hyb_otf2_write_sample(void *state, const struct hyb_merge_event *e);
struct hyb_otf2_sampled *hyb_otf2_sampled_new(void);
void hyb_otf2_sampled_free(struct hyb_otf2_sampled *s);

#endif
