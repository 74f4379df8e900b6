/* SPDX-License-Identifier: BSD-3-Clause */
/* The directory of one process in an experiment: what it is told by, and what lies in it. */
#ifndef HYB_READER_STREAMS_PROCESS_H
#define HYB_READER_STREAMS_PROCESS_H

#include "reader/streams/experiment.h"

/* Of a directory, by the first line of the manifest in it: processes have manifests, and experiments. */
enum hyb_title {
	HYB_TITLE_NONE,
	HYB_TITLE_PROCESS,
	HYB_TITLE_EXPERIMENT,
	HYB_TITLE_OTHERS,
	HYB_TITLE_UNREADABLE,
};

enum hyb_title hyb_title_of(const char *dir);
/* Whether the directory is a process's. */
bool hyb_process_is_one(const char *dir);
/*
 * Reads the process's manifest and lists its streams. `path` is its directory's, which p takes over, or, if it is
 * missing, of the link that leads to where it is not. 0, or -ENOMEM; after both, hyb_process_free.
 */
int hyb_process_open(struct hyb_process *p, char *path, uid_t owner, bool missing, const struct hyb_diag *diag);
void hyb_process_free(struct hyb_process *p);
/* "DIR/NAME", to be freed; NULL without memory. */
char *hyb_path_join(const char *dir, const char *name);

#endif
