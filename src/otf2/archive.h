/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The OTF2 archive as a whole. It is written in a hidden directory beside its place and moved there
 * when all of it is on disk, the anchor file last: what looks complete is complete.
 */
#ifndef HYB_OTF2_ARCHIVE_H
#define HYB_OTF2_ARCHIVE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "trace/diag.h"

#define HYB_ARCHIVE_NAME "traces"

struct hyb_spare_chunk;

struct hyb_archive {
	OTF2_Archive *otf2;
	const struct hyb_diag *diag;
	char *dir; /* where it goes */
	int dir_fd;
	char *tmp; /* a path to where it is written, which leads nowhere else whatever others do */
	char name[32]; /* of that in dir */
	int lock; /* its descriptor, locked while this process lives */
	pthread_mutex_t end_lock;
	bool begun; /* tmp is there */
	bool committed;
	bool ended; /* tmp is gone */
	bool made_dir;
	bool force;
	pthread_mutex_t error_lock;
	bool failed; /* a first error of the OTF2 library was reported */
	pthread_mutex_t spare_lock;
	struct hyb_spare_chunk *spare; /* memory of the library's buffers, for the next ones */
};

/*
 * Makes the archive's directory and opens it for writing, `members` being the largest group that
 * its definitions will have. -EEXIST: there is an archive and `force` is not set. All errors are
 * reported.
 */
int hyb_archive_open(struct hyb_archive *a, const char *dir, bool force, uint32_t members,
		     const struct hyb_diag *diag);
/* Closes it and moves it to its place. 0 or -errno; then hyb_archive_discard. */
int hyb_archive_commit(struct hyb_archive *a);
/* Removes what was written. Harmless on a zeroed one and after a commit. */
void hyb_archive_discard(struct hyb_archive *a);
/*
 * For another thread, of a process that ends: removes what was written, unless it was committed or is just being: true.
 * The process must end after it.
 */
bool hyb_archive_abandon(struct hyb_archive *a);
/* -EIO if the library said so, with its text reported before. */
int hyb_archive_check(struct hyb_archive *a, OTF2_ErrorCode code);
/* Bytes of all files of the archive at dir. */
uint64_t hyb_archive_size(const char *dir);
/* True if there is an archive, or part of one, at dir. */
bool hyb_archive_exists(const char *dir);

#endif
