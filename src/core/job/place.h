/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where things lie: the experiment directory of the job, the process's directory in it or in the spool,
 * and the move from the one to the other. Paths are absolute. What is opened by them again is opened through
 * owned.h: others may be able to write beside it.
 */
#ifndef HYB_CORE_JOB_PLACE_H
#define HYB_CORE_JOB_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/sys/owned.h"
#include "core/job/job.h"

/* How many names are tried, whoever has taken them. */
#define HYB_PLACE_TRIES 10000

struct hyb_place {
	char experiment[PATH_MAX];
	char process[PATH_MAX];		/* where this process's streams are */
	char final[PATH_MAX];		/* where they go at the end; empty: they are there */
	char rendezvous[PATH_MAX];	/* link to be removed at the end; empty: none */
	struct hyb_identity experiment_id;
	struct hyb_identity process_id;
	bool renamed;			/* the name wished for was taken */
	bool created;			/* this process made the experiment */
	int refused;			/* why a name was passed by that is no other job's, -errno; 0: none was */
};

/*
 * Finds or makes the experiment of `job` and this process's directory. start_dir: the working directory
 * when the process began. 0, or -errno with what could not be made in place->experiment.
 */
int hyb_place_make(struct hyb_place *place, const struct hyb_job *job, const char *start_dir);
/* The same in place->experiment, which is there already, under the name `name` or the next that is free. */
int hyb_place_add(struct hyb_place *place, const char *start_dir, const char *name);
/* The name of a file in the process's directory; n counts from 0. False: there are no more. */
typedef bool (*hyb_place_name_fn)(unsigned int n, char *buf, size_t size, const void *context);
/*
 * A file of the process's directory: flags are O_RDWR or O_WRONLY, and O_APPEND. With O_CREAT it is made, and must not
 * be there, and *identity told; without, it must be the one that *identity tells.
 */
long hyb_place_open(const struct hyb_place *place, const char *name, int flags, struct hyb_identity *identity);
/* Removes a file of the process's directory. */
void hyb_place_unlink(const struct hyb_place *place, const char *name);
/* Takes back the process's directory with all its files. */
void hyb_place_forget(const struct hyb_place *place, hyb_place_name_fn name_of, const void *context);
/* Moves the files of a spooled process to the experiment: all, or none. 0 or -errno. */
int hyb_place_move(const struct hyb_place *place, hyb_place_name_fn name_of, const void *context);
/*
 * Rank 0 notes in the experiment that it is in it. Whoever has made an experiment in which that is not noted by the end
 * has a part of the job only: another node, which does not see this directory, has the rest.
 */
void hyb_place_note_first(const struct hyb_place *place);
bool hyb_place_has_first(const struct hyb_place *place);
/* The name of the program, without directories. */
void hyb_place_program(char *buf, size_t size);
/* The directory above `path`. */
void hyb_place_parent(char *buf, size_t size, const char *path);
/* The directory at `path`, made with all above it where it is not there; see hyb_owned_named(). */
long hyb_place_named(const char *path);

#endif
