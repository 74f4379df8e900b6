/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of how requests begin; see events.h for their form. Part of the adapter. */
#ifndef HYB_PMPI_ADAPTER_REQUESTS_BEGIN_H
#define HYB_PMPI_ADAPTER_REQUESTS_BEGIN_H

#include <mpi.h>

#include "pmpi/adapter/requests/request.h"

/* Fills op, which hyb_ev_isent makes known under the request that the call gives. */
uint64_t *hyb_ev_isend(uint64_t *p, bool *late, struct hyb_op *op, MPI_Comm comm, int dest, int tag,
		       MPI_Count count, MPI_Datatype type);
uint64_t *hyb_ev_late_isend(uint64_t *p, struct hyb_op *op, MPI_Comm comm, int dest, int tag,
			    MPI_Count count, MPI_Datatype type);
uint64_t *hyb_ev_isent(uint64_t *p, const struct hyb_op *op, const MPI_Request *request);
uint64_t *hyb_ev_irecv(uint64_t *p, MPI_Comm comm, int source, int tag, const MPI_Request *request);
uint64_t *hyb_ev_imrecv(uint64_t *p, uint64_t comm1, const MPI_Request *request);
/* Instead of isent: one request for both. */
uint64_t *hyb_ev_isendrecv(uint64_t *p, struct hyb_op *op, MPI_Comm comm, int source, int tag,
			   const MPI_Request *request);
/* record to end: the COLL of the operation, as collective.c makes it. */
uint64_t *hyb_ev_icoll(uint64_t *p, const MPI_Request *request, uint32_t coll, const uint64_t *record,
		       const uint64_t *end);

/* One of which nothing is recorded: its handle may be shared with others. */
uint64_t *hyb_ev_iuntracked(uint64_t *p, const MPI_Request *request);

/* Persistent and partitioned requests are made; recorded are their starts. */
void hyb_request_init_send(uint32_t groups, const MPI_Request *request, MPI_Comm comm, int dest, int tag,
			   MPI_Count count, MPI_Datatype type);
void hyb_request_init_recv(uint32_t groups, const MPI_Request *request, MPI_Comm comm, int source, int tag);
void hyb_request_init_coll(const MPI_Request *request, uint32_t coll, const uint64_t *record, const uint64_t *end);
/* The same where only a line with the Leave can name what is needed. */
#define hyb_ev_request_init_coll(p, ...) (hyb_request_init_coll(__VA_ARGS__), (p))
/* Before MPI_Start and after it. */
uint64_t *hyb_ev_start(uint64_t *p, bool *late, const MPI_Request *request);
uint64_t *hyb_ev_started(uint64_t *p, const MPI_Request *request);
/* The same for MPI_Startall: the latter takes more than one group. */
uint64_t *hyb_ev_start_all(uint64_t *p, bool *late, uint32_t region, int count, const MPI_Request *requests);
uint64_t *hyb_requests_started_all(uint64_t *p, uint32_t region, int ret, int count, const MPI_Request *requests);
#define hyb_ev_late_start(p, ...) (p)
#define hyb_ev_late_start_all(p, ...) (p)

/* An RMA or IO operation with that number began. what: see `coll`; of: the id of its window or file. */
void hyb_request_add_transfer(MPI_Request request, enum hyb_op_kind kind, uint32_t what, uint32_t of, uint64_t id);

/*
 * Before and after a call that starts requests and leaves no record: a request may have another handle then. What is
 * known of it goes along. One by one: `where` the program keeps it, and its handle before, and then after the call.
 */
void hyb_starts_unrecorded(int count, const MPI_Request *requests) HYB_COLD;
void hyb_starts_unrecorded_done(int count, const MPI_Request *requests) HYB_COLD;
void hyb_starts_begin(void);
void hyb_start_unrecorded(const void *where, MPI_Request request);
void hyb_start_unrecorded_done(const void *where, MPI_Request request);

#endif
