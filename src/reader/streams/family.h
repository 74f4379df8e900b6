/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Experiments that belong together: those named, and those of the processes that they spawned, which
 * lie beside them.
 */
#ifndef HYB_READER_STREAMS_FAMILY_H
#define HYB_READER_STREAMS_FAMILY_H

#include "reader/streams/experiment.h"

struct hyb_family {
	struct hyb_experiment **members; /* first the `named` ones, in their order */
	size_t count;
	size_t room;
	size_t named;
};

/*
 * Opens all of them. Each experiment is in it once, however often it is named; those named that are parts of one job
 * are one. 0 or -errno as hyb_experiment_open; a child that cannot be opened is reported and left out.
 */
int hyb_family_open(const char *const *paths, size_t count, const struct hyb_diag *diag,
		    struct hyb_family *family);
void hyb_family_close(struct hyb_family *family);

#endif
