/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the program called MPI, as texts that go with the Enter. A process has few such places, and all processes of a
 * program the same ones. So while records are counted the places of each process are gathered, and named once it is
 * read; then all texts get their numbers in the model, by the alphabet, so that these are the same however many threads
 * read. When events are told, a place is looked up when a record names it, and known for those that do not.
 */
#ifndef HYB_MERGE_SITES_H
#define HYB_MERGE_SITES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "reader/containers/table.h"
#include "format/standing.h"
#include "merge/model/model.h"
#include "merge/model/name.h"

struct hyb_merge;
struct hyb_convert;
struct hyb_event;

/* Of a run. */
struct hyb_merge_sites {
	bool wanted;
	pthread_mutex_t lock;
	struct hyb_names texts; /* of all processes */
};

/* Of a process while it is read. */
struct hyb_convert_sites {
	bool gathers;	/* its places */
	bool tells;	/* them, with events */
	struct hyb_table places;
	/* Where the thread's last call of a region came from, as far as the present chunk says it. */
	uint64_t seq; /* of that chunk */
	uint32_t last[HYB_STANDING_REGIONS]; /* number of the text, plus 1; 0: not known */
};

void hyb_sites_init(struct hyb_merge_sites *s, bool wanted);
void hyb_sites_free(struct hyb_merge_sites *s);
/* Once all is counted: the texts' numbers. 0 or -ENOMEM. */
int hyb_sites_number(struct hyb_merge_sites *s, struct hyb_model *model);

/* A process begins to be read, in the present pass; its end: 0 or -ENOMEM; after both, hyb_convert_free_sites. */
void hyb_convert_begin_sites(struct hyb_convert *c);
int hyb_convert_end_sites(struct hyb_convert *c);
void hyb_convert_free_sites(struct hyb_convert *c);
/* What a record says of where the call came from. */
void hyb_convert_new_site(struct hyb_convert *c, const struct hyb_event *event);
/* A chunk begins: nothing is known any more. */
void hyb_convert_forget_sites(struct hyb_convert *c, uint64_t seq);

#endif
