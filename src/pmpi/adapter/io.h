/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records of what is done with files; see events.h for their form. Each operation has an id of its own, which its
 * end names again where that comes with a later call. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_IO_H
#define HYB_PMPI_ADAPTER_IO_H

#include <stdbool.h>

#include <mpi.h>

#include "core/record/record.h"

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
