/* SPDX-License-Identifier: BSD-3-Clause */
/* Files: what is known of each, found by its handle. Part of the adapter. */
#ifndef HYB_PMPI_ADAPTER_HANDLES_FILE_H
#define HYB_PMPI_ADAPTER_HANDLES_FILE_H

#include <mpi.h>

#include "core/sys/trie.h"
#include "core/record/record.h"

#define HYB_NO_FILE UINT32_MAX

struct hyb_file {
	struct hyb_node node;	/* key: the handle */
	uint32_t state;		/* enum hyb_state */
	uint32_t id;		/* of its definition */
	uint32_t mode;		/* enum hyb_io_mode */
	uint64_t unit;		/* bytes of an elementary type of the view */
	uint64_t split;		/* id of the split operation that goes on, 0: none */
};

/* What is known of a handle, or NULL. Pairs with the release stores of file.c. */
struct hyb_file *hyb_file_find(MPI_File fh);
/* What is known of a handle that is valid, because a call with it succeeded. NULL without memory. */
struct hyb_file *hyb_file_get(MPI_File fh);
/* Its definition's id, or HYB_NO_FILE. fh may be NULL. */
uint32_t hyb_file_id(const MPI_File *fh);

/* Right before the call that opens a file; file.c says why. */
void hyb_file_opening(void);
/*
 * What is done about a file whether or not that is recorded: it was opened (*known tells that this is done
 * already), it is about to be closed (after which the handle may at once be another's), it got another view.
 */
void hyb_file_opened(MPI_Comm comm, const char *name, int amode, MPI_File fh, bool *known);
void hyb_file_closing(const MPI_File *fh);
/* The file with this id was not closed after all: the call failed. */
void hyb_file_close_failed(uint32_t file, const MPI_File *fh);
void hyb_file_viewed(MPI_File fh, MPI_Datatype etype);

#endif
