/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns of threads; see turns.h. */
#include "pmpi/adapter/order/turns.h"

#include <limits.h>

#include "pmpi/adapter/order/order.h"

static int wait_for(MPI_Request *request, MPI_Status *status, int ret)
{
	return ret == MPI_SUCCESS ? PMPI_Wait(request, status) : ret;
}

/* Counts of int are for MPIs that have no others. */
static int post_send(unsigned int function, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
		     MPI_Comm comm, MPI_Request *request)
{
#ifdef HYB_HAS_MPI_Isend_c
#define POST(NAME) (count > INT_MAX ? PMPI_##NAME##_c(buf, count, type, dest, tag, comm, request) : \
				      PMPI_##NAME(buf, (int)count, type, dest, tag, comm, request))
#else
#define POST(NAME) PMPI_##NAME(buf, (int)count, type, dest, tag, comm, request)
#endif
	switch (function) {
	case HYB_F_MPI_Bsend:
	case HYB_F_MPI_Ibsend:
		return POST(Ibsend);
	case HYB_F_MPI_Rsend:
	case HYB_F_MPI_Irsend:
		return POST(Irsend);
	case HYB_F_MPI_Ssend:
	case HYB_F_MPI_Issend:
		return POST(Issend);
	}
	return POST(Isend);
#undef POST
}

static int post_receive(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
			MPI_Request *request)
{
#ifdef HYB_HAS_MPI_Irecv_c
	if (count > INT_MAX)
		return PMPI_Irecv_c(buf, count, type, source, tag, comm, request);
#endif
	return PMPI_Irecv(buf, (int)count, type, source, tag, comm, request);
}

int hyb_turn_send(unsigned int function, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
		  MPI_Comm comm, MPI_Request *request)
{
	struct hyb_order *order = hyb_turn_mine();
	MPI_Request own;
	int ret;

	hyb_turn_begin(order);
	ret = post_send(function, buf, count, type, dest, tag, comm, request ? request : &own);
	hyb_turn_end(order, true);
	return request ? ret : wait_for(&own, MPI_STATUS_IGNORE, ret);
}

int hyb_turn_receive(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
		     MPI_Request *request, MPI_Status *status)
{
	struct hyb_order *order = hyb_turn_mine();
	MPI_Request own;
	int ret;

	hyb_turn_begin(order);
	ret = post_receive(buf, count, type, source, tag, comm, request ? request : &own);
	hyb_turn_end(order, true);
	return request ? ret : wait_for(&own, status, ret);
}

static int wait_for_both(MPI_Request requests[2], MPI_Status *status)
{
	MPI_Status statuses[2];
	int ret = PMPI_Waitall(2, requests, statuses);

	if (ret == MPI_ERR_IN_STATUS)
		ret = statuses[0].MPI_ERROR != MPI_SUCCESS ? statuses[0].MPI_ERROR : statuses[1].MPI_ERROR;
	if (status != MPI_STATUS_IGNORE) {
		statuses[0].MPI_ERROR = status->MPI_ERROR;
		*status = statuses[0];
	}
	return ret;
}

int hyb_turn_sendrecv(const struct hyb_turn_exchange *e, MPI_Status *status)
{
	struct hyb_order *order = hyb_turn_mine();
	MPI_Request requests[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	int ret;

	hyb_turn_begin(order);
	ret = post_receive(e->in, e->in_count, e->in_type, e->source, e->in_tag, e->comm, &requests[0]);
	if (ret == MPI_SUCCESS)
		ret = post_send(HYB_F_MPI_Isend, e->out, e->out_count, e->out_type, e->dest, e->out_tag, e->comm,
				&requests[1]);
	hyb_turn_end(order, true);
	return ret == MPI_SUCCESS ? wait_for_both(requests, status) : ret;
}

/* Packs with functions for counts of int. */
static int pack_small(const struct hyb_turn_exchange *e, struct hyb_call_memory *room, MPI_Count *size)
{
	int bytes, at = 0, ret;

	ret = PMPI_Pack_size((int)e->in_count, e->in_type, e->comm, &bytes);
	if (ret != MPI_SUCCESS)
		return ret;
	if (!hyb_call_memory_get(room, (size_t)bytes + 1))
		return MPI_ERR_NO_MEM;
	ret = PMPI_Pack(e->in, (int)e->in_count, e->in_type, room->mapped, bytes, &at, e->comm);
	*size = at;
	return ret;
}

/*
 * Packs what is sent into `room`. What is small takes the functions that each MPI has, since this adapter may have been
 * compiled for a newer MPI than the program's.
 */
static int pack(const struct hyb_turn_exchange *e, struct hyb_call_memory *room, MPI_Count *size)
{
#ifdef HYB_HAS_MPI_Pack_c
	MPI_Count element, bytes, at = 0;
	int ret = PMPI_Type_size_x(e->in_type, &element);

	if (ret != MPI_SUCCESS)
		return ret;
	if (e->in_count > INT_MAX / 2 / (element > 0 ? element : 1)) {
		ret = PMPI_Pack_size_c(e->in_count, e->in_type, e->comm, &bytes);
		if (ret != MPI_SUCCESS)
			return ret;
		if (!hyb_call_memory_get(room, (size_t)bytes + 1))
			return MPI_ERR_NO_MEM;
		ret = PMPI_Pack_c(e->in, e->in_count, e->in_type, room->mapped, bytes, &at, e->comm);
		*size = at;
		return ret;
	}
#endif
	return pack_small(e, room, size);
}

int hyb_turn_sendrecv_replace(const struct hyb_turn_exchange *e, MPI_Status *status)
{
	struct hyb_turn_exchange both = *e;
	struct hyb_call_memory room = { .mapped = NULL };
	int ret = pack(e, &room, &both.out_count);

	both.out = room.mapped;
	both.out_type = MPI_PACKED;
	if (ret == MPI_SUCCESS)
		ret = hyb_turn_sendrecv(&both, status);
	hyb_call_memory_free(&room);
	return ret;
}
