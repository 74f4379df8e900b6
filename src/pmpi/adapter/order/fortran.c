/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of a run for Fortran's calls; see fortran.h. */
#include "pmpi/adapter/order/fortran.h"

#include "pmpi/adapter/fortran/fortran.h"
#include "pmpi/adapter/order/held.h"
#include "pmpi/adapter/order/order.h"
#include "pmpi/adapter/order/sends.h"

enum flavour { F77, F08 };

/* A receive as Fortran's function is to get it. */
struct arguments {
	struct hyb_order_receive receive;
	struct hyb_fortran_status own;
	MPI_Fint source;
	MPI_Fint tag;
	MPI_Fint comm;
	MPI_Fint ierror;
	void *status;
};

static void begin(struct arguments *a, const char *function, const MPI_Fint *source, const MPI_Fint *tag,
		  const MPI_Fint *comm, void *status)
{
	int its_source = *source;
	int its_tag = *tag;
	MPI_Comm its_comm = PMPI_Comm_f2c(*comm);
	const MPI_Comm was = its_comm;

	hyb_order_receive_begin(&a->receive, function, &its_source, &its_tag, &its_comm);
	a->source = its_source;
	a->tag = its_tag;
	a->comm = its_comm == was ? *comm : PMPI_Comm_c2f(its_comm);
	a->status = a->receive.wild && status && hyb_fortran_ignored(status) ? &a->own : status;
#ifdef MPICH
	/* Its Fortran hands the status on as it is; others fill it when MPI has come back. */
	if (a->receive.wild && a->status)
		a->status = hyb_order_receive_status(&a->receive, a->status == &a->own ? NULL : a->status, a->own.room);
#endif
	hyb_order_mine()->inside = true;
}

static void received(struct arguments *a, int ret)
{
	MPI_Status status = { .MPI_SOURCE = HYB_ORDER_PENDING_NONE };

	hyb_order_mine()->inside = false;
	if (a->receive.wild && (ret == MPI_SUCCESS || a->receive.pending.area))
		PMPI_Status_f2c(a->status, &status);
	hyb_order_received(&a->receive, ret, &status);
}

static void posted(struct arguments *a, int ret, const MPI_Fint *request, void *buf, MPI_Count count,
		   const MPI_Fint *type)
{
	const MPI_Request its = ret == MPI_SUCCESS ? PMPI_Request_f2c(*request) : MPI_REQUEST_NULL;

	hyb_order_mine()->inside = false;
	if (a->receive.held)
		hyb_order_receive_held(&a->receive, ret, its, buf, count, PMPI_Type_f2c(*type));
	else
		hyb_order_receive_posted(&a->receive, ret, its);
}

typedef void receive_function(void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, void *, MPI_Fint *);
typedef void replace_function(void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *,
			      void *, MPI_Fint *);
typedef void sendrecv_function(void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, void *, void *, MPI_Fint *,
			       MPI_Fint *, MPI_Fint *, MPI_Fint *, void *, MPI_Fint *);

/* A receive's buffer as C sees it. Of an array section that is not contiguous its begin. */
static void *buffer_of(void *buf, enum flavour flavour)
{
#ifdef MPICH
	if (flavour == F08)
		return (void *)(uintptr_t)hyb_f08ts_buffer(buf);
#endif
	(void)flavour;
	return (void *)(uintptr_t)hyb_fortran_buffer(buf);
}

/* For a replay; none of what Fortran hands over in another way than C. */
static struct hyb_order_shadow *copy_of(void *buf, enum flavour flavour, MPI_Count count, MPI_Fint type, MPI_Fint dest)
{
	return buffer_of(buf, flavour) == buf ? hyb_send_copy(buf, count, PMPI_Type_f2c(type), dest) : NULL;
}

/* Once for each flavour, and for counts of MPI_Count. */
#define RECEIVES(FLAVOUR, BUFFER, COUNT) \
void hyb_order_Recv_##FLAVOUR(void *buf, void *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, \
			      void *status, MPI_Fint *ierror) \
{ \
	receive_function *next = (receive_function *)HYB_BENEATH(HYB_E_MPI_Recv_##FLAVOUR); \
	struct arguments a; \
\
	ierror = ierror ? ierror : &a.ierror; \
	begin(&a, "MPI_Recv", source, tag, comm, status); \
	if (hyb_held_any()) \
		hyb_held_await_message(a.source, a.tag, PMPI_Comm_f2c(a.comm)); \
	next(buf, count, type, &a.source, &a.tag, &a.comm, a.status, ierror); \
	received(&a, *ierror); \
} \
\
void hyb_order_Irecv_##FLAVOUR(void *buf, void *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag, \
			       MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror) \
{ \
	receive_function *next = (receive_function *)HYB_BENEATH(HYB_E_MPI_Irecv_##FLAVOUR); \
	struct arguments a; \
\
	ierror = ierror ? ierror : &a.ierror; \
	begin(&a, "MPI_Irecv", source, tag, comm, NULL); \
	next(buf, count, type, &a.source, &a.tag, &a.comm, request, ierror); \
	posted(&a, *ierror, request, buffer_of(buf, BUFFER), *(const COUNT *)count, type); \
} \
\
void hyb_order_Isend_##FLAVOUR(void *buf, void *count, MPI_Fint *type, MPI_Fint *dest, MPI_Fint *tag, \
			       MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror) \
{ \
	receive_function *next = (receive_function *)HYB_BENEATH(HYB_E_MPI_Isend_##FLAVOUR); \
	struct hyb_order_shadow *copy = copy_of(buf, BUFFER, *(const COUNT *)count, *type, *dest); \
	struct hyb_order *order = hyb_order_mine(); \
	MPI_Fint own; \
\
	ierror = ierror ? ierror : &own; \
	order->inside = true; \
	next(copy ? copy->buf : buf, count, type, dest, tag, comm, request, ierror); \
	order->inside = false; \
	hyb_send_posted(copy, *ierror, *ierror == MPI_SUCCESS ? PMPI_Request_f2c(*request) : MPI_REQUEST_NULL); \
} \
\
void hyb_order_Recv_init_##FLAVOUR(void *buf, void *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag, \
				   MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror) \
{ \
	receive_function *next = (receive_function *)HYB_BENEATH(HYB_E_MPI_Recv_init_##FLAVOUR); \
	struct hyb_order *order = hyb_order_mine(); \
	MPI_Fint own; \
\
	ierror = ierror ? ierror : &own; \
	order->inside = true; \
	next(buf, count, type, source, tag, comm, request, ierror); \
	order->inside = false; \
	if (*ierror == MPI_SUCCESS) \
		hyb_order_receive_made(PMPI_Request_f2c(*request), buffer_of(buf, BUFFER), *(const COUNT *)count, \
				       PMPI_Type_f2c(*type), *source, *tag, PMPI_Comm_f2c(*comm)); \
} \
\
void hyb_order_Sendrecv_##FLAVOUR(void *out, void *out_count, MPI_Fint *out_type, MPI_Fint *dest, MPI_Fint *out_tag, \
				  void *in, void *in_count, MPI_Fint *in_type, MPI_Fint *source, MPI_Fint *tag, \
				  MPI_Fint *comm, void *status, MPI_Fint *ierror) \
{ \
	sendrecv_function *next = (sendrecv_function *)HYB_BENEATH(HYB_E_MPI_Sendrecv_##FLAVOUR); \
	struct arguments a; \
\
	ierror = ierror ? ierror : &a.ierror; \
	begin(&a, "MPI_Sendrecv", source, tag, comm, status); \
	next(out, out_count, out_type, dest, out_tag, in, in_count, in_type, &a.source, &a.tag, &a.comm, a.status, ierror); \
	received(&a, *ierror); \
} \
\
void hyb_order_Sendrecv_replace_##FLAVOUR(void *buf, void *count, MPI_Fint *type, MPI_Fint *dest, MPI_Fint *out_tag, \
					  MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, void *status, \
					  MPI_Fint *ierror) \
{ \
	replace_function *next = (replace_function *)HYB_BENEATH(HYB_E_MPI_Sendrecv_replace_##FLAVOUR); \
	struct arguments a; \
\
	ierror = ierror ? ierror : &a.ierror; \
	begin(&a, "MPI_Sendrecv_replace", source, tag, comm, status); \
	next(buf, count, type, dest, out_tag, &a.source, &a.tag, &a.comm, a.status, ierror); \
	received(&a, *ierror); \
}

RECEIVES(f77, F77, MPI_Fint)
RECEIVES(f08, F08, MPI_Fint)
RECEIVES(c_f08, F08, MPI_Count)

/* The requests of a call and what it tells. */
struct call {
	struct hyb_fortran_handles room;
	MPI_Request *requests;
	MPI_Fint *given;
	int count;
	MPI_Status status;
	MPI_Fint own_ierror;
};

static MPI_Request *requests_of(struct call *call, MPI_Fint *requests, MPI_Fint count)
{
	call->given = requests;
	call->count = count;
	call->requests = hyb_fortran_requests(&call->room, requests, count);
	return call->requests;
}

static void end(struct call *call, int ret, MPI_Fint *ierror)
{
	for (int i = 0; call->requests && i < call->count; i++)
		call->given[i] = PMPI_Request_c2f(call->requests[i]);
	hyb_fortran_handles_free(&call->room);
	if (ierror)
		*ierror = ret;
}

static MPI_Status *statuses_of(void *statuses)
{
	return hyb_fortran_ignored(statuses) ? MPI_STATUSES_IGNORE : statuses;
}

static MPI_Fint index_of(int index, enum flavour flavour)
{
	return index == MPI_UNDEFINED ? index : index + (flavour == F08 ? hyb_f08_first_index() : 1);
}

static void give_indices(int ret, int done, MPI_Fint *indices, enum flavour flavour)
{
	if (ret != MPI_SUCCESS && ret != MPI_ERR_IN_STATUS)
		return;
	for (int k = 0; done != MPI_UNDEFINED && k < done; k++)
		indices[k] = index_of(indices[k], flavour);
}

#define OTHERS(FLAVOUR, KIND) \
void hyb_order_Cancel_##FLAVOUR(MPI_Fint *request, MPI_Fint *ierror) \
{ \
	MPI_Request its = PMPI_Request_f2c(*request); \
\
	hyb_fortran_give_error(hyb_order_Cancel(&its), ierror); \
} \
\
void hyb_order_Finalize_##FLAVOUR(MPI_Fint *ierror) \
{ \
	hyb_sends_end(); \
	((void (*)(MPI_Fint *))HYB_BENEATH(HYB_E_MPI_Finalize_##FLAVOUR))(ierror); \
} \
\
void hyb_order_Improbe_##FLAVOUR(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, MPI_Fint *flag, MPI_Fint *message, \
				 void *status, MPI_Fint *ierror) \
{ \
	MPI_Message its = MPI_MESSAGE_NULL; \
	MPI_Status found; \
	const int ret = hyb_order_Improbe(*source, *tag, PMPI_Comm_f2c(*comm), flag, &its, &found); \
\
	if (ret == MPI_SUCCESS && *flag) { \
		*message = PMPI_Message_c2f(its); \
		hyb_fortran_give_status(&found, status); \
	} \
	hyb_fortran_give_error(ret, ierror); \
} \
\
void hyb_order_Iprobe_##FLAVOUR(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, MPI_Fint *flag, void *status, \
				MPI_Fint *ierror) \
{ \
	MPI_Status found; \
	const int ret = hyb_order_Iprobe(*source, *tag, PMPI_Comm_f2c(*comm), flag, &found); \
\
	if (ret == MPI_SUCCESS && *flag) \
		hyb_fortran_give_status(&found, status); \
	hyb_fortran_give_error(ret, ierror); \
} \
\
void hyb_order_Mprobe_##FLAVOUR(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, MPI_Fint *message, void *status, \
				MPI_Fint *ierror) \
{ \
	MPI_Message its = MPI_MESSAGE_NULL; \
	MPI_Status found; \
	const int ret = hyb_order_Mprobe(*source, *tag, PMPI_Comm_f2c(*comm), &its, &found); \
\
	if (ret == MPI_SUCCESS) { \
		*message = PMPI_Message_c2f(its); \
		hyb_fortran_give_status(&found, status); \
	} \
	hyb_fortran_give_error(ret, ierror); \
} \
\
void hyb_order_Probe_##FLAVOUR(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, void *status, MPI_Fint *ierror) \
{ \
	MPI_Status found; \
	const int ret = hyb_order_Probe(*source, *tag, PMPI_Comm_f2c(*comm), &found); \
\
	if (ret == MPI_SUCCESS) \
		hyb_fortran_give_status(&found, status); \
	hyb_fortran_give_error(ret, ierror); \
} \
\
void hyb_order_Request_free_##FLAVOUR(MPI_Fint *request, MPI_Fint *ierror) \
{ \
	struct call call; \
	int ret; \
\
	requests_of(&call, request, 1); \
	ret = hyb_order_Request_free(call.requests); \
	end(&call, ret, ierror); \
} \
\
void hyb_order_Request_get_status_##FLAVOUR(MPI_Fint *request, MPI_Fint *flag, void *status, MPI_Fint *ierror) \
{ \
	MPI_Status found; \
	const int ret = hyb_order_Request_get_status(PMPI_Request_f2c(*request), flag, &found); \
\
	if (ret == MPI_SUCCESS && *flag) \
		hyb_fortran_give_status(&found, status); \
	hyb_fortran_give_error(ret, ierror); \
} \
\
void hyb_order_Start_##FLAVOUR(MPI_Fint *request, MPI_Fint *ierror) \
{ \
	struct call call; \
	int ret; \
\
	requests_of(&call, request, 1); \
	ret = hyb_order_Start(call.requests); \
	end(&call, ret, ierror); \
} \
\
void hyb_order_Startall_##FLAVOUR(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *ierror) \
{ \
	struct call call; \
	int ret; \
\
	ret = hyb_order_Startall(*count, requests_of(&call, requests, *count)); \
	end(&call, ret, ierror); \
} \
\
void hyb_order_Win_test_##FLAVOUR(MPI_Fint *win, MPI_Fint *flag, MPI_Fint *ierror) \
{ \
	hyb_fortran_give_error(hyb_order_Win_test(PMPI_Win_f2c(*win), flag), ierror); \
} \
\
void hyb_order_Test_##FLAVOUR(MPI_Fint *request, MPI_Fint *flag, void *status, MPI_Fint *ierror) \
{ \
	struct call call; \
	int ret; \
\
	requests_of(&call, request, 1); \
	ret = hyb_order_Test(call.requests, flag, &call.status); \
	if (ret == MPI_SUCCESS && *flag) \
		hyb_fortran_give_status(&call.status, status); \
	end(&call, ret, ierror); \
} \
\
void hyb_order_Testall_##FLAVOUR(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *flag, void *statuses, \
				 MPI_Fint *ierror) \
{ \
	struct call call; \
	int ret; \
\
	requests_of(&call, requests, *count); \
	ret = hyb_order_Testall(*count, call.requests, flag, statuses_of(statuses)); \
	end(&call, ret, ierror); \
} \
\
void hyb_order_Testany_##FLAVOUR(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *flag, void *status, \
				 MPI_Fint *ierror) \
{ \
	struct call call; \
	int ret; \
\
	requests_of(&call, requests, *count); \
	ret = hyb_order_Testany(*count, call.requests, index, flag, &call.status); \
	*index = index_of(*index, KIND); \
	if (ret == MPI_SUCCESS && *flag) \
		hyb_fortran_give_status(&call.status, status); \
	end(&call, ret, ierror); \
} \
\
void hyb_order_Testsome_##FLAVOUR(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *done, MPI_Fint *indices, \
				  void *statuses, MPI_Fint *ierror) \
{ \
	struct call call; \
	int ret; \
\
	requests_of(&call, requests, *count); \
	ret = hyb_order_Testsome(*count, call.requests, done, indices, statuses_of(statuses)); \
	give_indices(ret, *done, indices, KIND); \
	end(&call, ret, ierror); \
} \
\
void hyb_order_Wait_##FLAVOUR(MPI_Fint *request, void *status, MPI_Fint *ierror) \
{ \
	struct call call; \
	int ret; \
\
	requests_of(&call, request, 1); \
	ret = hyb_order_Wait(call.requests, &call.status); \
	if (ret == MPI_SUCCESS) \
		hyb_fortran_give_status(&call.status, status); \
	end(&call, ret, ierror); \
} \
\
void hyb_order_Waitall_##FLAVOUR(MPI_Fint *count, MPI_Fint *requests, void *statuses, MPI_Fint *ierror) \
{ \
	struct call call; \
	int ret; \
\
	requests_of(&call, requests, *count); \
	ret = hyb_order_Waitall(*count, call.requests, statuses_of(statuses)); \
	end(&call, ret, ierror); \
} \
\
void hyb_order_Waitany_##FLAVOUR(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *index, void *status, MPI_Fint *ierror) \
{ \
	struct call call; \
	int ret; \
\
	requests_of(&call, requests, *count); \
	ret = hyb_order_Waitany(*count, call.requests, index, &call.status); \
	*index = index_of(*index, KIND); \
	if (ret == MPI_SUCCESS) \
		hyb_fortran_give_status(&call.status, status); \
	end(&call, ret, ierror); \
} \
\
void hyb_order_Waitsome_##FLAVOUR(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *done, MPI_Fint *indices, \
				  void *statuses, MPI_Fint *ierror) \
{ \
	struct call call; \
	int ret; \
\
	requests_of(&call, requests, *count); \
	ret = hyb_order_Waitsome(*count, call.requests, done, indices, statuses_of(statuses)); \
	give_indices(ret, *done, indices, KIND); \
	end(&call, ret, ierror); \
}

OTHERS(f77, F77)
OTHERS(f08, F08)

#ifdef HYB_HAS_MPI_Parrived
#define PARTS(FLAVOUR) \
void hyb_order_Parrived_##FLAVOUR(MPI_Fint *request, MPI_Fint *partition, MPI_Fint *flag, MPI_Fint *ierror) \
{ \
	hyb_fortran_give_error(hyb_order_Parrived(PMPI_Request_f2c(*request), *partition, flag), ierror); \
}

PARTS(f77)

PARTS(f08)
#endif
