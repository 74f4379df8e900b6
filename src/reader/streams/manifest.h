/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The manifest of one process: text, `key: value` lines, the first 16 of 64 bytes each (changed in
 * place while the process lives), the others appended. doc/trace-format.md has the keys.
 */
#ifndef HYB_READER_STREAMS_MANIFEST_H
#define HYB_READER_STREAMS_MANIFEST_H

#include <stddef.h>
#include <stdint.h>

#include "reader/streams/diag.h"
#include "reader/streams/file.h"

#define HYB_MANIFEST_MAGIC "hybmon process manifest 1"
#define HYB_MANIFEST_FIXED_LINES 16  /* lines */
#define HYB_MANIFEST_LINE_SIZE 64    /* bytes of a fixed line, newline included */
#define HYB_MANIFEST_MAX (16u << 20) /* a file larger than this is not a manifest */

enum hyb_run_state {
	HYB_RUN_UNKNOWN = 0, /* no manifest, or one that does not say */
	HYB_RUN_RUNNING,     /* still runs, or was killed without notice */
	HYB_RUN_FINALIZED,   /* MPI_Finalize was called */
	HYB_RUN_ENDED,
};

struct hyb_manifest_line {
	const char *key;
	const char *value; /* unescaped, without padding; never NULL */
};

/*
 * Strings are never NULL: what the manifest does not have is "". They live as long as the manifest.
 */
struct hyb_manifest {
	enum hyb_run_state state;
	const char *ended; /* "-", "exit N", "signal N", "MPI_Abort N" */
	int64_t rank;	   /* in MPI_COMM_WORLD; -1: unknown or none */
	int64_t ranks;	   /* -1: unknown */
	uint64_t lost;	   /* records not written for want of space */
	const char *lost_why;
	uint64_t threads; /* streams made */

	const char *host;
	const char *boot; /* boot id: same host and same boot means same clocks */
	int64_t pid;	  /* -1: unknown */
	const char *program;
	const char *started; /* UTC, ISO 8601 */
	const char *counter;
	const char *mpi;
	const char *mpi_standard;
	const char *adapter;
	const char *experiment;

	struct hyb_manifest_line *lines; /* all of them in order, these too, the first line not */
	size_t count;
	char *text; /* owns the strings */
};

/* A manifest that says nothing: no rank, no host. */
void hyb_manifest_init(struct hyb_manifest *m);

/*
 * Reads the manifest at path, a file of that owner. Tolerates what a crash leaves: lines cut short, missing lines. 0,
 * -ENOENT (silent: the caller knows whether that is an error), -EINVAL for a file that is no
 * manifest or a newer one (reported), or another -errno (reported). Free with hyb_manifest_free.
 */
int hyb_manifest_read(const char *path, uid_t owner, const struct hyb_diag *diag, struct hyb_manifest *m);

/* The same for text in memory (need not be terminated); `path` is for messages only. */
int hyb_manifest_parse(const char *path, const char *text, size_t size, const struct hyb_diag *diag,
		       struct hyb_manifest *m);

/*
 * The value of the index-th line with that key (0: the first), or NULL. Keys such as args come
 * often.
 */
const char *hyb_manifest_get(const struct hyb_manifest *m, const char *key, size_t index);

/* The counter's rate as the process measured it, ticks a second, good to 1e-4; 0: not known. */
uint64_t hyb_manifest_hz(const struct hyb_manifest *m);

/* Frees what m owns; m itself is the caller's. Harmless on a zeroed one and when repeated. */
void hyb_manifest_free(struct hyb_manifest *m);

#endif
