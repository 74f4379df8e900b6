/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where things lie: the experiment directory of the job, the process's directory in it or in the spool,
 * and the move from the one to the other. Paths are absolute.
 */
#ifndef HYB_CORE_PLACE_H
#define HYB_CORE_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/job.h"

struct hyb_place {
	char experiment[PATH_MAX];
	char process[PATH_MAX];		/* where this process's streams are */
	char final[PATH_MAX];		/* where they go at the end; empty: they are there */
	char rendezvous[PATH_MAX];	/* link to be removed at the end; empty: none */
	bool renamed;			/* the name wished for was taken */
	bool created;			/* this process made the experiment */
};

/*
 * Finds or makes the experiment of `job` and this process's directory. start_dir: the working directory
 * when the process began. 0, or -errno with what could not be made in place->experiment.
 */
int hyb_place_make(struct hyb_place *place, const struct hyb_job *job, const char *start_dir);
/* The same in place->experiment, which is there already, under the name `name` or the next that is free. */
int hyb_place_add(struct hyb_place *place, const char *start_dir, const char *name);
/* Moves the files of a spooled process to the experiment. names: NULL-terminated. 0 or -errno. */
int hyb_place_move(const struct hyb_place *place, bool (*next_name)(char *buf, size_t size, void *state),
		   void *state);
/* The name of the program, without directories. */
void hyb_place_program(char *buf, size_t size);

#endif
