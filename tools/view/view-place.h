/* SPDX-License-Identifier: BSD-3-Clause */
/* Where what hybmon view does not keep waits on disk. */
#ifndef HYB_TOOLS_VIEW_VIEW_PLACE_H
#define HYB_TOOLS_VIEW_VIEW_PLACE_H

#include <limits.h>
#include <stdbool.h>

struct hyb_place_of_view {
	char path[PATH_MAX];
	int lock;	/* the directory, locked as long as this process lives */
};

/*
 * A directory of its own in `tmp`; what is left of it has no name. Those of this user that viewers left which were killed
 * are removed. False where it cannot be made, which is said once.
 */
bool hyb_view_place_make(struct hyb_place_of_view *place, const char *tmp);
/* Removes it; also after the above has failed. */
void hyb_view_place_remove(struct hyb_place_of_view *place);

#endif
