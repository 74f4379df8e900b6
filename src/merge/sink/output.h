/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a run writes. All of it is written in a hidden directory beside its place and moved there when everything is
 * on disk, in the order of its parts: what looks complete is complete.
 */
#ifndef HYB_MERGE_SINK_OUTPUT_H
#define HYB_MERGE_SINK_OUTPUT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "reader/streams/diag.h"

struct hyb_output {
	const struct hyb_diag *diag;
	char *dir; /* where it goes */
	int dir_fd;
	char *tmp; /* a path to where it is written, which leads nowhere else whatever others do */
	char name[32]; /* of that in dir */
	int lock; /* its descriptor, locked while this process lives */
	pthread_mutex_t end_lock;
	const char *const *parts; /* names of files and directories, NULL at the end */
	bool begun; /* tmp is there */
	bool committed;
	bool ended; /* tmp is gone */
	bool made_dir;
	bool force;
};

/*
 * Makes the directory and the hidden one in it. `parts` must outlive it. -EEXIST: one of them is there and `force` is
 * not set. All errors are said. After any, hyb_output_discard.
 */
int hyb_output_begin(struct hyb_output *o, const char *dir, bool force, const char *const *parts,
		     const struct hyb_diag *diag);
/* Moves the parts to their place. 0 or -errno; then hyb_output_discard. */
int hyb_output_commit(struct hyb_output *o);
/* Removes what was written. Harmless on a zeroed one and after a commit. */
void hyb_output_discard(struct hyb_output *o);
/*
 * For another thread, of a process that ends: removes what was written, unless it was committed or is just being: true.
 * The process must end after it.
 */
bool hyb_output_abandon(struct hyb_output *o);
/* Bytes of these parts at dir. */
uint64_t hyb_output_size(const char *dir, const char *const *parts);
/* True if one of these parts is at dir. */
bool hyb_output_exists(const char *dir, const char *const *parts);

#endif
