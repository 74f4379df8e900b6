/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the table's lines `before` and `after` stand for: the records attached to an Enter or a Leave.
 * Each takes the place they go to and returns the place behind them. A line `before x` is
 * hyb_ev_x, with a flag that it sets where it cannot tell yet whether the handles are valid; then
 * hyb_ev_late_x writes its record with the Leave. Part of the adapter.
 *
 * Bytes of collective operations are those that the operation's meaning moves between this process
 * and all members, itself included, however the MPI does it; what MPI_IN_PLACE leaves where it is
 * does not count. See coll.c for each.
 */
#ifndef HYB_PMPI_ADAPTER_EVENTS_H
#define HYB_PMPI_ADAPTER_EVENTS_H

#include <mpi.h>

#include "pmpi/adapter/handles/comm.h"
#include "pmpi/adapter/handles/file.h"
#include "pmpi/adapter/handles/type.h"
#include "pmpi/adapter/handles/win.h"
#include "pmpi/adapter/request-number.h"
#include "pmpi/adapter/requests/status.h"
#include "record/record.h"

static inline uint64_t *hyb_ev_error(uint64_t *p, int code)
{
	*p = (uint64_t)HYB_ERROR << HYB_TYPE_SHIFT | (uint32_t)code;
	return p + 1;
}

/* So many bytes as a SEND_SHORT has them, in HYB_TIME_BITS or less, or UINT64_MAX where it cannot. */
static inline uint64_t hyb_short_bytes(uint64_t bytes)
{
	if (hyb_likely(bytes < HYB_SHORT_BYTES))
		return bytes;
	for (unsigned int scale = 1; scale < 4; scale++) {
		uint64_t n = bytes >> 3 * scale;

		if (n < HYB_SHORT_BYTES && n << 3 * scale == bytes)
			return (uint64_t)scale << HYB_SHORT_SCALE_SHIFT | n;
	}
	return UINT64_MAX;
}

/*
 * A SEND_SHORT or RECV_SHORT, of a request at that distance or HYB_NEAR_NONE. False where the message does not fit in
 * one.
 */
static inline bool hyb_put_short(uint64_t *p, enum hyb_record_type type, uint64_t near, uint32_t comm, int peer,
				 int tag, uint64_t bytes)
{
	uint64_t size = hyb_short_bytes(bytes);

	if (hyb_unlikely(comm / HYB_SHORT_COMMS | (uint32_t)peer / HYB_SHORT_PEERS | (uint32_t)tag / HYB_SHORT_TAGS |
			 size >> HYB_SHORT_TAG_SHIFT))
		return false;
	*p = (uint64_t)type << HYB_TYPE_SHIFT | near << HYB_NEAR_SHIFT | (uint64_t)comm << HYB_SHORT_COMM_SHIFT |
	     (uint64_t)peer << HYB_SHORT_PEER_SHIFT | (uint64_t)tag << HYB_SHORT_TAG_SHIFT | size;
	return true;
}

/* A message with or without a request: HYB_SEND or HYB_RECV. One that is near is told by the message if that is short. */
static inline uint64_t *hyb_put_message_of(uint64_t *p, enum hyb_record_type type, uint64_t near, uint32_t comm,
					   int peer, int tag, uint64_t bytes)
{
	const bool send = type == HYB_SEND;
	const enum hyb_record_type wide = send ? HYB_SEND_WIDE : HYB_RECV_WIDE;

	if (hyb_likely(hyb_put_short(p, send ? HYB_SEND_SHORT : HYB_RECV_SHORT, near, comm, peer, tag, bytes)))
		return p + 1;
	if (hyb_likely(!(comm >> 24) && !(bytes >> 32))) {
		p[0] = (uint64_t)type << HYB_TYPE_SHIFT | (uint64_t)comm << 32 | (uint32_t)peer;
		p[1] = (uint64_t)(uint32_t)tag << 32 | bytes;
		return p + 2;
	}
	p[0] = (uint64_t)wide << HYB_TYPE_SHIFT | (uint32_t)peer;
	p[1] = (uint64_t)comm << 32 | (uint32_t)tag;
	p[2] = bytes;
	return p + 3;
}

static inline uint64_t *hyb_put_message(uint64_t *p, enum hyb_record_type type, uint32_t comm, int peer, int tag,
					uint64_t bytes)
{
	return hyb_put_message_of(p, type, HYB_NEAR_NONE, comm, peer, tag, bytes);
}

/* The message of a request, with its number. */
static inline uint64_t *hyb_put_requested(uint64_t *p, enum hyb_record_type type, uint32_t comm, int peer, int tag,
					  uint64_t bytes, uint64_t id)
{
	uint64_t near = hyb_request_near(id);
	uint64_t *end = hyb_put_message_of(p, type, near, comm, peer, tag, bytes);

	if (hyb_likely(end == p + 1 && near != HYB_NEAR_NONE))
		return end;
	*end = (uint64_t)HYB_REQUEST << HYB_TYPE_SHIFT | id;
	return end + 1;
}

static inline uint64_t *hyb_put_send(uint64_t *p, bool *late, MPI_Comm comm, int dest, int tag,
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

static HYB_HOT uint64_t *hyb_ev_send(uint64_t *p, bool *late, MPI_Comm comm, int dest, int tag,
				     MPI_Count count, MPI_Datatype type)
{
	return dest == MPI_PROC_NULL ? p : hyb_put_send(p, late, comm, dest, tag, count, type);
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

/*
 * Whether a collective operation that returned an error was one all the same for this member, and is recorded with what
 * it was to do: the others have theirs, and the n-th of each is one operation to readers.
 */
bool hyb_coll_took_part(int ret, MPI_Comm comm) HYB_COLD;

uint64_t *hyb_ev_barrier(uint64_t *p, MPI_Comm comm);
uint64_t *hyb_ev_bcast(uint64_t *p, MPI_Comm comm, int root, MPI_Count count, MPI_Datatype type);
uint64_t *hyb_ev_gather(uint64_t *p, MPI_Comm comm, int root, const void *sendbuf,
			MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
			MPI_Datatype recvtype);
uint64_t *hyb_ev_gatherv(uint64_t *p, MPI_Comm comm, int root, const void *sendbuf,
			 MPI_Count sendcount, MPI_Datatype sendtype, const void *recvcounts,
			 size_t width, MPI_Datatype recvtype);
uint64_t *hyb_ev_scatter(uint64_t *p, MPI_Comm comm, int root, const void *recvbuf,
			 MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
			 MPI_Datatype recvtype);
uint64_t *hyb_ev_scatterv(uint64_t *p, MPI_Comm comm, int root, const void *recvbuf,
			  const void *sendcounts, size_t width, MPI_Datatype sendtype,
			  MPI_Count recvcount, MPI_Datatype recvtype);
uint64_t *hyb_ev_allgather(uint64_t *p, MPI_Comm comm, const void *sendbuf, MPI_Count sendcount,
			   MPI_Datatype sendtype, MPI_Count recvcount, MPI_Datatype recvtype);
uint64_t *hyb_ev_allgatherv(uint64_t *p, MPI_Comm comm, const void *sendbuf, MPI_Count sendcount,
			    MPI_Datatype sendtype, const void *recvcounts, size_t width,
			    MPI_Datatype recvtype);
uint64_t *hyb_ev_alltoall(uint64_t *p, MPI_Comm comm, const void *sendbuf, MPI_Count sendcount,
			  MPI_Datatype sendtype, MPI_Count recvcount, MPI_Datatype recvtype);
uint64_t *hyb_ev_alltoallv(uint64_t *p, MPI_Comm comm, const void *sendbuf, const void *sendcounts,
			   size_t sendwidth, MPI_Datatype sendtype, const void *recvcounts,
			   size_t recvwidth, MPI_Datatype recvtype);
uint64_t *hyb_ev_alltoallw(uint64_t *p, MPI_Comm comm, const void *sendbuf, const void *sendcounts,
			   size_t sendwidth, const MPI_Datatype *sendtypes, const void *recvcounts,
			   size_t recvwidth, const MPI_Datatype *recvtypes);
uint64_t *hyb_ev_allreduce(uint64_t *p, MPI_Comm comm, const void *sendbuf, MPI_Count count,
			   MPI_Datatype type);
uint64_t *hyb_ev_reduce(uint64_t *p, MPI_Comm comm, int root, const void *sendbuf, MPI_Count count,
			MPI_Datatype type);
uint64_t *hyb_ev_reduce_scatter(uint64_t *p, MPI_Comm comm, const void *sendbuf,
				const void *recvcounts, size_t width, MPI_Datatype type);
uint64_t *hyb_ev_reduce_scatter_block(uint64_t *p, MPI_Comm comm, const void *sendbuf,
				      MPI_Count recvcount, MPI_Datatype type);
uint64_t *hyb_ev_scan(uint64_t *p, MPI_Comm comm, const void *sendbuf, MPI_Count count,
		      MPI_Datatype type);
uint64_t *hyb_ev_exscan(uint64_t *p, MPI_Comm comm, const void *sendbuf, MPI_Count count,
			MPI_Datatype type);
uint64_t *hyb_ev_neighbor_allgather(uint64_t *p, MPI_Comm comm, MPI_Count sendcount,
				    MPI_Datatype sendtype, MPI_Count recvcount,
				    MPI_Datatype recvtype);
uint64_t *hyb_ev_neighbor_allgatherv(uint64_t *p, MPI_Comm comm, MPI_Count sendcount,
				     MPI_Datatype sendtype, const void *recvcounts, size_t width,
				     MPI_Datatype recvtype);
uint64_t *hyb_ev_neighbor_alltoall(uint64_t *p, MPI_Comm comm, MPI_Count sendcount,
				   MPI_Datatype sendtype, MPI_Count recvcount,
				   MPI_Datatype recvtype);
uint64_t *hyb_ev_neighbor_alltoallv(uint64_t *p, MPI_Comm comm, const void *sendcounts,
				    size_t sendwidth, MPI_Datatype sendtype, const void *recvcounts,
				    size_t recvwidth, MPI_Datatype recvtype);
uint64_t *hyb_ev_neighbor_alltoallw(uint64_t *p, MPI_Comm comm, const void *sendcounts,
				    size_t sendwidth, const MPI_Datatype *sendtypes,
				    const void *recvcounts, size_t recvwidth,
				    const MPI_Datatype *recvtypes);

#endif
