/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records of collective operations; see events.h for their form. Bytes are those that the operation's meaning moves
 * between this process and all members, itself included, however the MPI does it; what MPI_IN_PLACE leaves where it is
 * does not count. collective.c says it for each. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_COLLECTIVE_H
#define HYB_PMPI_ADAPTER_COLLECTIVE_H

#include <mpi.h>

#include "core/record/record.h"

/*
 * Whether a collective operation that returned an error was one all the same for this member, and is recorded with what
 * it was to do: the others have theirs, and the n-th of each is one operation to readers.
 */
bool hyb_coll_took_part(int ret, MPI_Comm comm) HYB_COLD;

/*
 * ask: after the call, when MPI may be asked. Before it the record is made of what is known; where that is not enough, p
 * is returned, and what is known of it goes after p[0], with bytes as HYB_BYTES_UNKNOWN.
 */
uint64_t *hyb_ev_barrier(uint64_t *p, bool ask, MPI_Comm comm);
/*
 * After a call that all members of a communicator make and that moves no data (HYB_COLL_CREATE_HANDLE and others): it is
 * recorded also where it failed after it had begun. comm1: of hyb_comm_met, from before the call.
 */
uint64_t *hyb_ev_met(uint64_t *p, int ret, uint32_t comm1);
uint64_t *hyb_ev_bcast(uint64_t *p, bool ask, MPI_Comm comm, int root, MPI_Count count,
		       MPI_Datatype type);
uint64_t *hyb_ev_gather(uint64_t *p, bool ask, MPI_Comm comm, int root, const void *sendbuf,
			MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
			MPI_Datatype recvtype);
uint64_t *hyb_ev_gatherv(uint64_t *p, bool ask, MPI_Comm comm, int root, const void *sendbuf,
			 MPI_Count sendcount, MPI_Datatype sendtype, const void *recvcounts,
			 size_t width, MPI_Datatype recvtype);
uint64_t *hyb_ev_scatter(uint64_t *p, bool ask, MPI_Comm comm, int root, const void *recvbuf,
			 MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
			 MPI_Datatype recvtype);
uint64_t *hyb_ev_scatterv(uint64_t *p, bool ask, MPI_Comm comm, int root, const void *recvbuf,
			  const void *sendcounts, size_t width, MPI_Datatype sendtype,
			  MPI_Count recvcount, MPI_Datatype recvtype);
uint64_t *hyb_ev_allgather(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
			   MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
			   MPI_Datatype recvtype);
uint64_t *hyb_ev_allgatherv(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
			    MPI_Count sendcount, MPI_Datatype sendtype, const void *recvcounts,
			    size_t width, MPI_Datatype recvtype);
uint64_t *hyb_ev_alltoall(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
			  MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
			  MPI_Datatype recvtype);
uint64_t *hyb_ev_alltoallv(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
			   const void *sendcounts, size_t sendwidth, MPI_Datatype sendtype,
			   const void *recvcounts, size_t recvwidth, MPI_Datatype recvtype);
uint64_t *hyb_ev_alltoallw(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
			   const void *sendcounts, size_t sendwidth, const MPI_Datatype *sendtypes,
			   const void *recvcounts, size_t recvwidth, const MPI_Datatype *recvtypes);
uint64_t *hyb_ev_allreduce(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
			   MPI_Count count, MPI_Datatype type);
uint64_t *hyb_ev_reduce(uint64_t *p, bool ask, MPI_Comm comm, int root, const void *sendbuf,
			MPI_Count count, MPI_Datatype type);
uint64_t *hyb_ev_reduce_scatter(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
				const void *recvcounts, size_t width, MPI_Datatype type);
uint64_t *hyb_ev_reduce_scatter_block(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
				      MPI_Count recvcount, MPI_Datatype type);
uint64_t *hyb_ev_scan(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf, MPI_Count count,
		      MPI_Datatype type);
uint64_t *hyb_ev_exscan(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf, MPI_Count count,
			MPI_Datatype type);
uint64_t *hyb_ev_neighbor_allgather(uint64_t *p, bool ask, MPI_Comm comm, MPI_Count sendcount,
				    MPI_Datatype sendtype, MPI_Count recvcount,
				    MPI_Datatype recvtype);
uint64_t *hyb_ev_neighbor_allgatherv(uint64_t *p, bool ask, MPI_Comm comm, MPI_Count sendcount,
				     MPI_Datatype sendtype, const void *recvcounts, size_t width,
				     MPI_Datatype recvtype);
uint64_t *hyb_ev_neighbor_alltoall(uint64_t *p, bool ask, MPI_Comm comm, MPI_Count sendcount,
				   MPI_Datatype sendtype, MPI_Count recvcount,
				   MPI_Datatype recvtype);
uint64_t *hyb_ev_neighbor_alltoallv(uint64_t *p, bool ask, MPI_Comm comm, const void *sendcounts,
				    size_t sendwidth, MPI_Datatype sendtype, const void *recvcounts,
				    size_t recvwidth, MPI_Datatype recvtype);
uint64_t *hyb_ev_neighbor_alltoallw(uint64_t *p, bool ask, MPI_Comm comm, const void *sendcounts,
				    size_t sendwidth, const MPI_Datatype *sendtypes,
				    const void *recvcounts, size_t recvwidth,
				    const MPI_Datatype *recvtypes);

#endif
