/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sink of the merge that adds its events up to a call tree: so the tree has what the kernel did inside of each region,
 * as a path of its own.
 */
#ifndef HYB_ANALYSIS_PROFILE_EVENTS_H
#define HYB_ANALYSIS_PROFILE_EVENTS_H

#include "analysis/profile/calltree.h"

struct hyb_merge;

/*
 * Merges the experiment and adds it up. The tree belongs to what is in *merge, both to be freed by hyb_calltree_free
 * and hyb_merge_free, also after an error. place: a folder for what does not fit into memory, empty again in the end.
 * 0 or -errno, with everything said.
 */
int hyb_calltree_merge(struct hyb_calltree *tree, struct hyb_merge *merge, const char *dir, const char *place,
		       const struct hyb_calltree_selection *selection, const struct hyb_diag *diag,
		       const volatile sig_atomic_t *stop);

#endif
