/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran's arguments as C sees them; see fortran.h. Part of each adapter. */
#include "pmpi/adapter/call-memory.h"
#include "pmpi/adapter/fortran/fortran.h"

#include <string.h>

#include "pmpi/adapter/handles/comm-create.h"
#include "pmpi/adapter/requests/begin.h"
#include "pmpi/adapter/fortran/sentinel.h"

const void *hyb_fortran_buffer(const void *buf)
{
	if (!buf)
		return buf;
	if (hyb_sentinel_is(HYB_SENTINEL_IN_PLACE, buf))
		return MPI_IN_PLACE;
	return hyb_sentinel_is(HYB_SENTINEL_BOTTOM, buf) ? MPI_BOTTOM : buf;
}

const void *hyb_f08ts_buffer(const void *descriptor)
{
	const void *buf = *(const void *const *)descriptor;

	if (!buf)
		return buf;
	if (hyb_sentinel_is(HYB_SENTINEL_IN_PLACE_F08, buf))
		return MPI_IN_PLACE;
	return hyb_sentinel_is(HYB_SENTINEL_BOTTOM_F08, buf) ? MPI_BOTTOM : buf;
}

bool hyb_fortran_ignored(const void *status)
{
	/* This comes first: it makes MPI find its places. */
	if (hyb_sentinel_is(HYB_SENTINEL_STATUS_IGNORE, status) ||
	    hyb_sentinel_is(HYB_SENTINEL_STATUSES_IGNORE, status))
		return true;
	/* Weak references: the MPI's library may lack them. */
	return (&MPI_F_STATUS_IGNORE && status == (const void *)MPI_F_STATUS_IGNORE) ||
	       (&MPI_F_STATUSES_IGNORE && status == (const void *)MPI_F_STATUSES_IGNORE);
}

static int query(void *unused, MPI_Status *status)
{
	(void)unused;
	PMPI_Status_set_elements(status, MPI_BYTE, 0);
	return PMPI_Status_set_cancelled(status, 0);
}

static int ignore(void *unused)
{
	(void)unused;
	return MPI_SUCCESS;
}

static int ignore_cancel(void *unused, int complete)
{
	(void)unused;
	(void)complete;
	return MPI_SUCCESS;
}

/*
 * The index that MPI_Waitany of mpi_f08 gives for the only one of its requests, which is complete. It has no
 * communicator: where there are only sessions, none is known to be valid.
 */
static int try_index(void)
{
	void (*waitany)(const MPI_Fint *, MPI_Fint *, MPI_Fint *, struct hyb_fortran_status *, MPI_Fint *);
	struct hyb_fortran_status status;
	MPI_Request request;
	MPI_Fint handle;
	MPI_Fint index = 1;
	MPI_Fint count = 1;
	MPI_Fint ierror;

	*(void **)&waitany = hyb_sentinel_symbol("pmpi_waitany_f08_");
	if (!waitany)
		*(void **)&waitany = hyb_sentinel_symbol("pmpir_waitany_f08_");
	if (!waitany || PMPI_Grequest_start(query, ignore, ignore_cancel, NULL, &request) != MPI_SUCCESS)
		return 1;
	PMPI_Grequest_complete(request);
	handle = PMPI_Request_c2f(request);
	waitany(&count, &handle, &index, &status, &ierror);
	return index == 0 ? 0 : 1;
}

int hyb_f08_first_index(void)
{
	static int known = -1;	/* relaxed: threads that try at once find the same */
	int first = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (first < 0) {
		first = try_index();
		__atomic_store_n(&known, first, __ATOMIC_RELAXED);
	}
	return first;
}

const char *hyb_fortran_string(struct hyb_fortran_string *room, const char *from, size_t hidden)
{
	/* Some compilers pass an int, and what stands above it may be anything. */
	size_t length = (uint32_t)hidden;
	char *to = room->few;

	while (length && from[length - 1] == ' ')
		length--;
	room->room.mapped = NULL;
	if (length >= sizeof(room->few))
		to = hyb_call_memory_get(&room->room, length + 1);
	if (!to)
		return "";
	memcpy(to, from, length);
	to[length] = 0;
	return to;
}

int hyb_fortran_peers(MPI_Comm comm)
{
	const struct hyb_comm *c = hyb_comm_get(comm);

	return c ? (int)c->peers : 0;
}

int hyb_fortran_degree(MPI_Comm comm, bool in)
{
	int topology = MPI_UNDEFINED;
	int weighted;
	int from = 0;
	int to = 0;
	int rank;

	PMPI_Topo_test(comm, &topology);
	if (topology == MPI_CART) {
		PMPI_Cartdim_get(comm, &to);
		return 2 * to;
	}
	if (topology == MPI_GRAPH) {
		PMPI_Comm_rank(comm, &rank);
		PMPI_Graph_neighbors_count(comm, rank, &to);
		return to;
	}
	if (topology == MPI_DIST_GRAPH)
		PMPI_Dist_graph_neighbors_count(comm, &from, &to, &weighted);
	return in ? from : to;
}

/* Statuses are alike in both languages, so that an array of one serves as one of the other. */
_Static_assert(sizeof(MPI_Status) % sizeof(MPI_Fint) == 0, "a status is an array of integers in Fortran");

#ifdef MPICH
const MPI_Datatype *hyb_fortran_dtypes(struct hyb_fortran_handles *room, const MPI_Fint *handles, int count)
{
	(void)room;
	(void)count;
	return (const MPI_Datatype *)handles;
}

MPI_Request *hyb_fortran_requests(struct hyb_fortran_handles *room, const MPI_Fint *handles, int count)
{
	(void)room;
	(void)count;
	return (MPI_Request *)(uintptr_t)handles;
}

bool hyb_fortran_requests_recorded(bool starts, int count, const MPI_Fint *handles)
{
	return hyb_requests_recorded(starts, count, (const MPI_Request *)handles);
}

bool hyb_fortran_request_recorded(const MPI_Fint *handle)
{
	return hyb_request_recorded((const MPI_Request *)handle);
}

void hyb_fortran_requests_forget(int count, const MPI_Fint *handles)
{
	hyb_requests_forget(count, (const MPI_Request *)handles);
}

/* A request keeps its handle. */
void hyb_fortran_starts_unrecorded(int count, const MPI_Fint *handles)
{
	(void)count;
	(void)handles;
}

void hyb_fortran_starts_unrecorded_done(int count, const MPI_Fint *handles)
{
	(void)count;
	(void)handles;
}

void hyb_fortran_requests_started(MPI_Request *requests, int count, const MPI_Fint *handles)
{
	(void)requests;
	(void)count;
	(void)handles;
}

void hyb_fortran_requests_failed(struct hyb_pendings *pendings, MPI_Request *requests, const MPI_Fint *handles)
{
	(void)pendings;
	(void)requests;
	(void)handles;
}

void hyb_fortran_handles_free(struct hyb_fortran_handles *room)
{
	(void)room;
}
#else
/* Where count handles of this size go. */
static void *find_room(struct hyb_fortran_handles *room, int count, size_t one)
{
	room->room.mapped = NULL;
	return count <= HYB_FORTRAN_FEW ? &room->few : hyb_call_memory_get(&room->room, (size_t)count * one);
}

const MPI_Datatype *hyb_fortran_dtypes(struct hyb_fortran_handles *room, const MPI_Fint *handles, int count)
{
	MPI_Datatype *types = find_room(room, count, sizeof(*types));

	for (int i = 0; types && i < count; i++)
		types[i] = PMPI_Type_f2c(handles[i]);
	return types;
}

/* Calls with many requests come often, and not from inside of each other. */
MPI_Request *hyb_fortran_requests(struct hyb_fortran_handles *room, const MPI_Fint *handles, int count)
{
	MPI_Request *requests = room->few.requests;

	room->room.mapped = NULL;
	if (count > HYB_FORTRAN_FEW)
		requests = hyb_thread_scratch(HYB_SCRATCH_HANDLES, (size_t)count * sizeof(*requests));
	for (int i = 0; requests && i < count; i++)
		requests[i] = PMPI_Request_f2c(handles[i]);
	return requests;
}

bool hyb_fortran_requests_recorded(bool starts, int count, const MPI_Fint *handles)
{
	if (!handles)
		return false;
	for (int i = 0; i < count; i++) {
		MPI_Request request = PMPI_Request_f2c(handles[i]);

		if (hyb_requests_recorded(starts, 1, &request))
			return true;
	}
	return false;
}

bool hyb_fortran_request_recorded(const MPI_Fint *handle)
{
	MPI_Request request = handle ? PMPI_Request_f2c(*handle) : MPI_REQUEST_NULL;

	return hyb_request_recorded(&request);
}

void hyb_fortran_requests_forget(int count, const MPI_Fint *handles)
{
	for (int i = 0; handles && i < count; i++) {
		MPI_Request request = PMPI_Request_f2c(handles[i]);

		hyb_requests_forget(1, &request);
	}
}

void hyb_fortran_starts_unrecorded(int count, const MPI_Fint *handles)
{
	/* Within a call that is recorded, that one does it. */
	if (hyb_self.frame)
		return;
	hyb_starts_begin();
	for (int i = 0; handles && i < count; i++)
		hyb_start_unrecorded(&handles[i], PMPI_Request_f2c(handles[i]));
}

void hyb_fortran_starts_unrecorded_done(int count, const MPI_Fint *handles)
{
	for (int i = 0; !hyb_self.frame && handles && i < count; i++)
		hyb_start_unrecorded_done(&handles[i], PMPI_Request_f2c(handles[i]));
}

void hyb_fortran_requests_started(MPI_Request *requests, int count, const MPI_Fint *handles)
{
	for (int i = 0; requests && i < count; i++)
		requests[i] = PMPI_Request_f2c(handles[i]);
}

/* Of one that was freed the number leads nowhere. */
void hyb_fortran_requests_failed(struct hyb_pendings *pendings, MPI_Request *requests, const MPI_Fint *handles)
{
	for (int i = 0; i < pendings->count; i++)
		requests[i] = PMPI_Request_f2c(handles[i]);
	hyb_pendings_lose_outcome(pendings, requests);
}

void hyb_fortran_handles_free(struct hyb_fortran_handles *room)
{
	hyb_call_memory_free(&room->room);
}
#endif
