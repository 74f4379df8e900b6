/* SPDX-License-Identifier: BSD-3-Clause */
/* The OTF2 archive as a whole, and the memory of the library's buffers. */
#ifndef HYB_EXPORT_OTF2_ARCHIVE_H
#define HYB_EXPORT_OTF2_ARCHIVE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "merge/sink/output.h"

#define HYB_ARCHIVE_NAME "traces"
#define HYB_ARCHIVE_SAMPLES "samples"

struct hyb_spare_chunk;

struct hyb_archive {
	OTF2_Archive *otf2;
	const struct hyb_output *output;
	pthread_mutex_t error_lock;
	bool failed; /* a first error of the OTF2 library was reported */
	pthread_mutex_t spare_lock;
	struct hyb_spare_chunk *spare; /* memory of the library's buffers, for the next ones */
};

/*
 * Opens it for writing in the output's hidden directory, `members` being the largest group that its definitions will
 * have. 0 or -errno, which was said; after either, hyb_archive_free.
 */
int hyb_archive_open(struct hyb_archive *a, const struct hyb_output *output, const char *name, uint32_t members);
/* Writes out all of it. 0 or -errno. */
int hyb_archive_close(struct hyb_archive *a);
/* One that is given up is not closed: that would write it out, and after an error the library crashes. */
void hyb_archive_free(struct hyb_archive *a);
/* -EIO if the library said so, with its text reported before. */
int hyb_archive_check(struct hyb_archive *a, OTF2_ErrorCode code);

#endif
