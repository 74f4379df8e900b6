/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What debug information and symbols say of addresses in one program or library, each asked anew: source.h keeps it.
 * Not thread-safe. For this folder only. Without elfutils nothing is known.
 */
#ifndef HYB_READER_SYMBOLS_DEBUG_H
#define HYB_READER_SYMBOLS_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "reader/symbols/source.h"

struct hyb_debug;

/*
 * Opens file, which is what ran as path or a copy of it. since: a time in ns after which a change of the file makes
 * it another one; 0: the build id decides. file, path and build must outlive the result. Returns NULL, after a note
 * where the user does not see it anyway (call chains show that a file cannot be read), if the file cannot be read, is
 * not what ran, or memory is short. All functions below accept NULL and find nothing then.
 */
struct hyb_debug *hyb_debug_open(const struct hyb_diag *diag, const char *file, const char *path,
				 const unsigned char *build, uint32_t build_length, int64_t since);
void hyb_debug_free(struct hyb_debug *b);
/* The line, or the symbol, of what comes before `at`. False: neither is known. */
bool hyb_debug_line(struct hyb_debug *b, uint64_t at, struct hyb_place *place, char *buf, size_t size);
/* The name and the line of the function that begins right before `at`. False: it has no name. */
bool hyb_debug_function(struct hyb_debug *b, uint64_t at, struct hyb_place *place, char *buf, size_t size);

/* Besides offset << 1 | behind a call, in the file: it counts from where the object begins. */
#define HYB_DEBUG_OF_ADDRESS (UINT64_C(1) << 63)

/* The functions that a place lies in, those that are inlined there first. False: none is known. */
bool hyb_debug_functions(struct hyb_debug *b, uint64_t at, hyb_source_visit visit, void *arg);

static inline const char *hyb_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#endif
