/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What samples say of functions, lines and regions, over all threads: of a tally's rows. For whoever shows it.
 */
#ifndef HYB_EXPORT_SAMPLES_PROFILE_H
#define HYB_EXPORT_SAMPLES_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/containers/table.h"
#include "merge/kernel/chains.h"
#include "export/samples/tally.h"

/* A function; or a line of one, if the profile is by lines. Texts live as long as what the tally was made of. */
struct hyb_samples_row {
	enum hyb_frame_kind kind;
	const char *function; /* also a region's name */
	const char *file;     /* by lines: NULL: not known */
	uint32_t line;
	const char *path;	 /* of the binary; NULL: in none */
	uint64_t count;		 /* samples in it itself */
	uint64_t weight;	 /* what they stand for */
	uint64_t all_count;	 /* and with what it called */
	uint64_t all_weight;
	uint32_t seen; /* internal: the tally's row that it was counted of last, plus 1 */
};

struct hyb_samples_profile {
	struct hyb_table functions; /* struct hyb_samples_row */
	struct hyb_table lines;
	struct hyb_table regions; /* by the innermost open region that is the program's, "" outside of all */
	uint64_t count;		  /* of all samples */
	uint64_t weight;
};

void hyb_samples_profile_init(struct hyb_samples_profile *p);
void hyb_samples_profile_free(struct hyb_samples_profile *p);
/* Adds the tally's samples of one metric, by its name. 0 or -ENOMEM. */
int hyb_samples_profile_add(struct hyb_samples_profile *p, const struct hyb_samples_tally *tally, const char *metric);
/* A table's rows, those with the greatest weight of their own first. NULL without memory; the caller frees it. */
const struct hyb_samples_row **hyb_samples_profile_sort(const struct hyb_table *table);

#endif
