/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether this MPI fills in the status of MPI_Isendrecv. MPICH (4.0 and later) does not: there stands what the
 * request's memory held before, which may look like a message. So a message to ourselves is tried, with numbers that
 * nothing else has, on a communicator of its own that no receive of the program's can be on. Part of the adapter.
 */
#include "pmpi/adapter/requests/sendrecv.h"

#include <mpi.h>

#ifdef HYB_HAS_MPI_Isendrecv

#include "pmpi/adapter/requests/status.h"

#define TRIED 1	/* bits of `found`; TRIED alone from when a thread begins to try */
#define TELLS 2

enum { ROOM = 61, TAG = 27183 };

/* One of `bytes` bytes, with a send of its own or another's. The destination is MPI_PROC_NULL there. */
static bool tells(MPI_Comm comm, bool sends, int bytes)
{
	char out[ROOM] = "";
	char in[ROOM];
	MPI_Request requests[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	MPI_Status status = { .MPI_SOURCE = MPI_PROC_NULL };

	if (!sends && PMPI_Isend(out, bytes, MPI_BYTE, 0, TAG + bytes, comm, &requests[1]) != MPI_SUCCESS)
		return false;
	if (PMPI_Isendrecv(out, bytes, MPI_BYTE, sends ? 0 : MPI_PROC_NULL, TAG + bytes, in, ROOM, MPI_BYTE,
			   MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[0]) != MPI_SUCCESS)
		return false;
	PMPI_Wait(&requests[0], &status);
	PMPI_Wait(&requests[1], MPI_STATUS_IGNORE);
	return status.MPI_SOURCE == 0 && status.MPI_TAG == TAG + bytes && hyb_status_bytes(&status) == (uint64_t)bytes;
}

/* In a session there is no communicator that could be had without others. */
static uint32_t try(bool sends)
{
	MPI_Comm comm = MPI_COMM_NULL;
	uint32_t found = TRIED;
	int begun = 0;

	PMPI_Initialized(&begun);
	/* Unlike a copy it has no attributes, whose functions the program would see called. */
	if (!begun || PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &comm) != MPI_SUCCESS)
		return found;
	if (tells(comm, sends, sends ? 37 : 41))
		found |= TELLS;
	PMPI_Comm_free(&comm);
	return found;
}

bool hyb_sendrecv_fills_status(bool sends)
{
	static uint32_t found[2];
	uint32_t known = __atomic_load_n(&found[sends], __ATOMIC_RELAXED);

	/* By one thread, since a communicator is for one collective call at a time. Meanwhile others take it as not filled in. */
	if (hyb_unlikely(!known) && __atomic_compare_exchange_n(&found[sends], &known, TRIED, 0, __ATOMIC_RELAXED,
							       __ATOMIC_RELAXED)) {
		known = try(sends);
		__atomic_store_n(&found[sends], known, __ATOMIC_RELAXED);
	}
	return (known & TELLS) != 0;
}

#else

bool hyb_sendrecv_fills_status(bool sends)
{
	(void)sends;
	return false;
}

#endif
