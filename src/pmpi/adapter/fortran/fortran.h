/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts Fortran's arguments for the wrappers to C's. Handles go through f2c.h, statuses through
 * PMPI_Status_f2c; here is what MPI has no function for. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_FORTRAN_FORTRAN_H
#define HYB_PMPI_ADAPTER_FORTRAN_FORTRAN_H

#include <mpi.h>

#include "pmpi/adapter/call-memory.h"
#include "pmpi/adapter/fortran/f2c.h"
#include "pmpi/adapter/requests/complete.h"
#include "core/record/record.h"

/* The generated wrappers of Fortran's flavours, by number from HYB_MPI_FUNCTIONS on. */
extern void *const hyb_fortran_wrappers[];

/* Arrays of Fortran's integers are read as arrays of int. */
_Static_assert(sizeof(MPI_Fint) == sizeof(int),
	       "an MPI whose Fortran integers are longer than int is not supported: leave it out of --with-mpi");

/* Takes a status where the program wants none; MPI may see a C status in it. */
struct hyb_fortran_status {
	MPI_Status room[2];
};

#define HYB_FORTRAN_FEW 64	/* so many handles need no memory but the stack's */

/* Room for an array of handles as C sees it. Where handles are numbers in C too it is Fortran's own. */
struct hyb_fortran_handles {
	union {
		MPI_Datatype dtypes[HYB_FORTRAN_FEW];
		MPI_Request requests[HYB_FORTRAN_FEW];
	} few;
	struct hyb_call_memory room;
};

/* Room for a string as C sees it; one of a usual length needs no memory but the stack's. */
struct hyb_fortran_string {
	char few[256];
	struct hyb_call_memory room;
};

/* MPI_IN_PLACE and MPI_BOTTOM have addresses of their own in Fortran. */
const void *hyb_fortran_buffer(const void *buf);
/* The same of a buffer that comes as a descriptor: its address stands first, whatever the compiler. */
const void *hyb_f08ts_buffer(const void *descriptor);
bool hyb_fortran_ignored(const void *status);

static inline void hyb_fortran_give_status(const MPI_Status *from, void *to)
{
	if (!hyb_fortran_ignored(to))
		PMPI_Status_c2f(from, to);
}

/* mpi_f08 may have none. */
static inline void hyb_fortran_give_error(int ret, MPI_Fint *ierror)
{
	if (ierror)
		*ierror = ret;
}

static inline int hyb_fortran_index(MPI_Fint index)
{
	return index == MPI_UNDEFINED ? index : index - 1;
}

/* What mpi_f08 counts the first request of an array as: 1, but some versions of MPICH 0. It is tried out once. */
int hyb_f08_first_index(void);

static inline int hyb_f08_index(MPI_Fint index)
{
	return index == MPI_UNDEFINED ? index : index - hyb_f08_first_index();
}

/*
 * A string without the blanks it is filled up with, until the room is given back by hyb_call_memory_free; "" where
 * there is no memory. hidden: its length as the compiler passes it.
 */
const char *hyb_fortran_string(struct hyb_fortran_string *room, const char *from, size_t hidden);

/* With a handle that is valid: how many processes a collective operation has data for, or neighbours. */
int hyb_fortran_peers(MPI_Comm comm);
int hyb_fortran_degree(MPI_Comm comm, bool in);

/*
 * An array, which is there until hyb_fortran_handles_free; NULL without memory. Requests are as they stand before
 * the call.
 */
const MPI_Datatype *hyb_fortran_dtypes(struct hyb_fortran_handles *room, const MPI_Fint *handles, int count);
MPI_Request *hyb_fortran_requests(struct hyb_fortran_handles *room, const MPI_Fint *handles, int count);
/*
 * After a call with requests returned an error: Open MPI's Fortran then gives back neither handles nor statuses. The
 * requests are as they stand now.
 */
void hyb_fortran_requests_failed(struct hyb_pendings *pendings, MPI_Request *requests, const MPI_Fint *handles);
/* After MPI_Startall: the requests as they stand now. */
void hyb_fortran_requests_started(MPI_Request *requests, int count, const MPI_Fint *handles);
void hyb_fortran_handles_free(struct hyb_fortran_handles *room);
/* As the functions of requests/ that have these names without `fortran`. */
bool hyb_fortran_requests_recorded(bool starts, int count, const MPI_Fint *handles);
bool hyb_fortran_request_recorded(const MPI_Fint *handle);
void hyb_fortran_requests_forget(int count, const MPI_Fint *handles);
void hyb_fortran_starts_unrecorded(int count, const MPI_Fint *handles);
void hyb_fortran_starts_unrecorded_done(int count, const MPI_Fint *handles);

#endif
