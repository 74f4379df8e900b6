/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An experiment on disk: which processes it has, their manifests, and the paths of their streams. Opening one reads
 * directories, manifests and the header of one stream, and keeps no descriptor, so thousands of processes are fine.
 */
#ifndef HYB_READER_STREAMS_EXPERIMENT_H
#define HYB_READER_STREAMS_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/format.h"
#include "reader/streams/diag.h"
#include "reader/streams/manifest.h"

struct hyb_stream_file {
	enum hyb_stream_kind kind; /* THREAD, CPU or TASK, from the file's name: not looked into yet */
	uint32_t number;	   /* N of thread-N.hyb, cpu-N.hyb or task-N.hyb */
	char *path;
};

struct hyb_process {
	char *path;	   /* of its directory, or of the link where `missing` is set */
	const char *name;  /* last part of path */
	char *missing;	   /* where the link leads when that is not there, else NULL */
	bool has_manifest; /* false: manifest is zeroed but for empty strings, rank and pid -1 */
	struct hyb_manifest manifest;
	char *defs;			 /* path of its definitions stream, NULL: it has none */
	uid_t owner;			 /* of its directory and of all that is read in it */
	struct hyb_stream_file *streams; /* threads by number, then CPUs, then tasks */
	size_t stream_count;
};

struct hyb_experiment {
	char *path;  /* as given, without trailing slashes */
	uid_t owner; /* of path: what belongs to others is left out */
	bool single; /* path is one process's directory (a pending one, for example) */
	struct hyb_process *processes; /* by rank; those without one last, by host, pid, name */
	size_t count;		       /* those with `missing` set included */
	size_t foreign; /* processes left out for that: reported once */
	size_t missing; /* how many have `missing` set; each was reported as a warning */
	int64_t ranks;	/* the largest `ranks` any manifest names, -1: none does */
};

/*
 * Opens the experiment, or the directory of one process, at path. Everything in it that is not hybmon's is ignored, and
 * what does not belong to the experiment's owner is left out (reported). -EINVAL: it is a directory and neither of
 * these; -EPROTONOSUPPORT: its streams are of another major version; other -errno: it cannot be read (all reported in
 * one line). A process directory that cannot be read is reported as a warning and has no streams. Two processes of the
 * same rank are both kept, and reported; of those that have theirs from the launcher only the first is that rank, if no
 * other is, and the manifests of the others are changed to say so.
 */
int hyb_experiment_open(const char *path, const struct hyb_diag *diag,
			struct hyb_experiment **experiment);
/*
 * Whether both are parts of one job, as two nodes record it that share no file system: the same job, and no rank in
 * both. *rank: one that is in both, or -1; then they are of one job, but cannot be one experiment.
 */
bool hyb_experiment_is_part(const struct hyb_experiment *a, const struct hyb_experiment *b, int64_t *rank);
/* Moves what is in `part` to the end of `whole`, and frees part. 0 or -ENOMEM, with both as they were. */
int hyb_experiment_join(struct hyb_experiment *whole, struct hyb_experiment *part, const struct hyb_diag *diag);
/* What the first process that says so says of the job: key "job", "parent", "parent-rank". NULL: none does. */
const char *hyb_experiment_says(const struct hyb_experiment *x, const char *key);
/*
 * What the process makes from now on is for no more users than the experiment with all that is in it, as what the kernel
 * tells root only: narrows the process's umask. For programs that write what they made of it.
 */
void hyb_experiment_keep_private(const struct hyb_experiment *x);
/* The umask as it is now; thread-safe among these two. */
mode_t hyb_experiment_umask(void);
/* Frees it with all that it holds. NULL is fine. */
void hyb_experiment_close(struct hyb_experiment *experiment);

#endif
