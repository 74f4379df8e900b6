/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of blocking point-to-point calls; see events.h for their form. Part of the adapter. */
#ifndef HYB_PMPI_ADAPTER_P2P_H
#define HYB_PMPI_ADAPTER_P2P_H

#include <mpi.h>

#include "pmpi/adapter/handles/comm-create.h"
#include "pmpi/adapter/handles/type.h"
#include "pmpi/adapter/put.h"
#include "pmpi/adapter/requests/status.h"

/* One that is not to MPI_PROC_NULL. */
static inline uint64_t *hyb_p2p_send(uint64_t *p, bool *late, MPI_Comm comm, int dest, int tag,
				     MPI_Count count, MPI_Datatype type)
{
	const struct hyb_comm *c = hyb_comm_find(comm);
	uint64_t size1 = hyb_type_find(type);

	if (hyb_unlikely(!c || !size1 || (uint32_t)dest >= c->peers || count < 0)) {
		*late = true;
		return p;
	}
	return hyb_put_message(p, HYB_SEND, c->id, dest, tag, (uint64_t)count * (size1 - 1));
}

static HYB_HOT_PART uint64_t *hyb_ev_send(uint64_t *p, bool *late, MPI_Comm comm, int dest, int tag,
				     MPI_Count count, MPI_Datatype type)
{
	return dest == MPI_PROC_NULL ? p : hyb_p2p_send(p, late, comm, dest, tag, count, type);
}

/* After the call succeeded, with all that it was given. */
static inline uint64_t *hyb_ev_late_send(uint64_t *p, MPI_Comm comm, int dest, int tag,
					 MPI_Count count, MPI_Datatype type)
{
	const struct hyb_comm *c = hyb_comm_get(comm);

	if (!c)
		return p;
	return hyb_put_message(p, HYB_SEND, c->id, dest, tag, hyb_type_bytes(count, type));
}

/* comm1: the communicator's id plus 1, 0 where it is not known. */
static inline uint64_t *hyb_ev_mrecv(uint64_t *p, uint64_t comm1, const MPI_Status *status)
{
	if (!comm1 || status->MPI_SOURCE == MPI_PROC_NULL)
		return p;
	return hyb_put_message(p, HYB_RECV, (uint32_t)(comm1 - 1), status->MPI_SOURCE, status->MPI_TAG,
			       hyb_status_bytes(status));
}

static inline uint64_t *hyb_ev_recv(uint64_t *p, MPI_Comm comm, const MPI_Status *status)
{
	const struct hyb_comm *c = hyb_comm_get(comm);

	return hyb_ev_mrecv(p, c ? (uint64_t)c->id + 1 : 0, status);
}

#endif
