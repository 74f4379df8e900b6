/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of finding the job's experiment: experiment.c has them from rendezvous.c and experiment-manifest.c. */
#ifndef HYB_CORE_JOB_EXPERIMENT_H
#define HYB_CORE_JOB_EXPERIMENT_H

#include "core/job/place.h"

/*
 * The experiment `name` in the directory `parent`, open as hyb_owned_directory() does it, if it is this job's. -ENOENT:
 * there is none. -EEXIST: another job has it. HYB_FOREIGN, HYB_STRANGE, -ENOTDIR: something else is there.
 */
long hyb_place_look(long parent, const char *name, const struct hyb_job *job, long long now,
			 struct hyb_identity *identity);
/* Writes the manifest of the experiment that is open as `directory`. 0 or -errno. */
long hyb_place_describe(long directory, const struct hyb_job *job, long long now);
/*
 * The name in `dir` that the job's processes have agreed on becomes *name, which holds this one's own wish. If this
 * process is the one that tells the others, place->rendezvous is the link to be removed.
 */
void hyb_rendezvous_agree(struct hyb_place *place, const struct hyb_job *job, const char *dir, char *name,
			  size_t size);

#endif
