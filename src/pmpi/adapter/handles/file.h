/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files: what is known of each, found by its handle, and the records of what is done with them. Part
 * of the adapter. Each operation has an id of its own, which its end names again where that comes
 * with a later call.
 */
#ifndef HYB_PMPI_ADAPTER_HANDLES_FILE_H
#define HYB_PMPI_ADAPTER_HANDLES_FILE_H

#include <mpi.h>

#include "base/trie.h"
#include "record/record.h"

#define HYB_NO_FILE UINT32_MAX

enum hyb_file_state {
	HYB_FILE_FREE = 0,	/* its handle is nobody's */
	HYB_FILE_MAKING,	/* a thread is filling it in */
	HYB_FILE_LIVE,
};

struct hyb_file {
	struct hyb_node node;	/* key: the handle */
	uint32_t state;		/* enum hyb_file_state; stored with release after the rest */
	uint32_t id;		/* of its definition */
	uint32_t mode;		/* enum hyb_io_mode */
	uint64_t unit;		/* bytes of an elementary type of the view */
	uint64_t split;		/* id of the split operation that goes on, 0: none */
};

/* Its definition's id, or HYB_NO_FILE. fh may be NULL. */
uint32_t hyb_file_id(const MPI_File *fh);

/* Right before the call that opens a file; file.c says why. */
void hyb_file_opening(void);
/*
 * What is done about a file whether or not that is recorded: it was opened (*known tells that this is done
 * already), it is about to be closed (after which the handle may at once be another's), it got another view.
 */
void hyb_file_opened(MPI_Comm comm, const char *name, int amode, MPI_File fh, bool *known);
void hyb_file_closed(const MPI_File *fh);
/* The file with this id was not closed after all: the call failed. */
void hyb_file_kept(uint32_t file, const MPI_File *fh);
void hyb_file_viewed(MPI_File fh, MPI_Datatype etype);

/*
 * With the Enter: where the individual pointer stands, for the record with the Leave. -1 where that
 * cannot be told.
 */
uint64_t *hyb_ev_io_position(uint64_t *p, bool *late, MPI_File fh, MPI_Offset *at);

static inline uint64_t *hyb_ev_late_io_position(uint64_t *p, MPI_File fh, const MPI_Offset *at)
{
	(void)fh;
	(void)at;
	return p;
}

uint64_t *hyb_ev_io_open(uint64_t *p, MPI_Comm comm, const char *name, int amode, MPI_File fh,
			 bool *known);
uint64_t *hyb_ev_io_close(uint64_t *p, uint32_t file);
uint64_t *hyb_ev_io_delete(uint64_t *p, const char *name);
uint64_t *hyb_ev_io_seek(uint64_t *p, uint32_t flags, MPI_File fh, MPI_Offset offset, int whence);
uint64_t *hyb_ev_io_view(uint64_t *p, MPI_File fh, MPI_Offset disp, MPI_Datatype etype);
uint64_t *hyb_ev_io_size(uint64_t *p, uint32_t flags, MPI_File fh, MPI_Offset size);
uint64_t *hyb_ev_io_flush(uint64_t *p, MPI_File fh);
/* A blocking READ or WRITE. at: in elementary types of the view, -1: not known. */
uint64_t *hyb_ev_io(uint64_t *p, enum hyb_io_what what, uint32_t flags, MPI_File fh, MPI_Offset at,
		    MPI_Count count, MPI_Datatype type, const MPI_Status *status);
/* One that the file's next split end completes. */
uint64_t *hyb_ev_io_split(uint64_t *p, enum hyb_io_what what, uint32_t flags, MPI_File fh,
			  MPI_Offset at, MPI_Count count, MPI_Datatype type);
uint64_t *hyb_ev_io_split_end(uint64_t *p, int ret, enum hyb_io_what what, MPI_File fh,
			      const MPI_Status *status);
/* One that a request completes. */
uint64_t *hyb_ev_io_begin(uint64_t *p, enum hyb_io_what what, uint32_t flags, MPI_File fh,
			  MPI_Offset at, MPI_Count count, MPI_Datatype type,
			  const MPI_Request *request);

#endif
