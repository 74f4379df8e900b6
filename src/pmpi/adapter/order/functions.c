/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of C's that take a buffer, and all of C's and Fortran's by entry. */
#include "pmpi/adapter/order/fortran.h"
#include "pmpi/adapter/order/held.h"
#include "pmpi/adapter/order/order.h"
#include "pmpi/adapter/order/sends.h"

/* Once for int, and where MPI has it for MPI_Count. What is not only recorded is out of the way. */
#define RECEIVES(SUFFIX, COUNT) \
static HYB_COLD int replay_Recv##SUFFIX(void *buf, COUNT count, MPI_Datatype type, int source, int tag, \
					MPI_Comm comm, MPI_Status *status) \
{ \
	struct hyb_order_receive receive; \
	MPI_Status own; \
	int ret; \
\
	hyb_order_receive_begin(&receive, "MPI_Recv" #SUFFIX, &source, &tag, &comm); \
	if (receive.wild) \
		status = hyb_order_receive_status(&receive, status == MPI_STATUS_IGNORE ? NULL : status, &own); \
	if (hyb_held_any()) \
		hyb_held_await_message(source, tag, comm); \
	ret = HYB_ORDER_CALL(MPI_Recv##SUFFIX, buf, count, type, source, tag, comm, status); \
	hyb_order_received(&receive, ret, status); \
	return ret; \
} \
\
static int o_Recv##SUFFIX(void *buf, COUNT count, MPI_Datatype type, int source, int tag, MPI_Comm comm, \
			  MPI_Status *status) \
{ \
	struct hyb_order_awaits pending; \
	struct hyb_order *order; \
	MPI_Status *filled; \
	uint64_t number; \
	MPI_Status own; \
	int ret; \
\
	if (!hyb_order_is_wild(source, tag)) \
		return HYB_ORDER_CALL(MPI_Recv##SUFFIX, buf, count, type, source, tag, comm, status); \
	order = hyb_order_recording(); \
	if (hyb_unlikely(!order)) \
		return replay_Recv##SUFFIX(buf, count, type, source, tag, comm, status); \
	number = hyb_order_opened(order); \
	filled = hyb_order_receive_awaits(&pending, order, number, status == MPI_STATUS_IGNORE ? NULL : status, &own); \
	ret = HYB_ORDER_CALL(MPI_Recv##SUFFIX, buf, count, type, source, tag, comm, filled); \
	hyb_order_receive_told(&pending, order, number, tag == MPI_ANY_TAG, ret, filled); \
	return ret; \
} \
\
static HYB_COLD int replay_Irecv##SUFFIX(void *buf, COUNT count, MPI_Datatype type, int source, int tag, \
					 MPI_Comm comm, MPI_Request *request) \
{ \
	struct hyb_order_receive receive; \
	int ret; \
\
	hyb_order_receive_begin(&receive, "MPI_Irecv" #SUFFIX, &source, &tag, &comm); \
	ret = HYB_ORDER_CALL(MPI_Irecv##SUFFIX, buf, count, type, source, tag, comm, request); \
	if (hyb_unlikely(receive.held)) \
		hyb_order_receive_held(&receive, ret, *request, buf, count, type); \
	else \
		hyb_order_receive_posted(&receive, ret, *request); \
	return ret; \
} \
\
static int o_Irecv##SUFFIX(void *buf, COUNT count, MPI_Datatype type, int source, int tag, MPI_Comm comm, \
			   MPI_Request *request) \
{ \
	struct hyb_order *order; \
	uint64_t number; \
	int ret; \
\
	if (!hyb_order_is_wild(source, tag)) \
		return HYB_ORDER_CALL(MPI_Irecv##SUFFIX, buf, count, type, source, tag, comm, request); \
	order = hyb_order_recording(); \
	if (hyb_unlikely(!order)) \
		return replay_Irecv##SUFFIX(buf, count, type, source, tag, comm, request); \
	number = hyb_order_opened(order); \
	ret = HYB_ORDER_CALL(MPI_Irecv##SUFFIX, buf, count, type, source, tag, comm, request); \
	hyb_order_posted(order, number, tag == MPI_ANY_TAG, ret, *request); \
	return ret; \
} \
\
static int o_Recv_init##SUFFIX(void *buf, COUNT count, MPI_Datatype type, int source, int tag, MPI_Comm comm, \
			       MPI_Request *request) \
{ \
	const int ret = HYB_ORDER_CALL(MPI_Recv_init##SUFFIX, buf, count, type, source, tag, comm, request); \
\
	if (ret == MPI_SUCCESS) \
		hyb_order_receive_made(*request, buf, count, type, source, tag, comm); \
	return ret; \
} \
\
/* In a replay only. */ \
static HYB_COLD int o_Isend##SUFFIX(const void *buf, COUNT count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, \
				    MPI_Request *request) \
{ \
	struct hyb_order_shadow *copy = hyb_send_copy(buf, count, type, dest); \
	const int ret = HYB_ORDER_CALL(MPI_Isend##SUFFIX, copy ? copy->buf : buf, count, type, dest, tag, comm, \
				       request); \
\
	hyb_send_posted(copy, ret, *request); \
	return ret; \
} \
\
static int o_Sendrecv##SUFFIX(const void *out, COUNT out_count, MPI_Datatype out_type, int dest, int out_tag, \
			      void *in, COUNT in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, \
			      MPI_Status *status) \
{ \
	struct hyb_order_receive receive; \
	MPI_Status own; \
	int ret; \
\
	hyb_order_receive_begin(&receive, "MPI_Sendrecv" #SUFFIX, &source, &in_tag, &comm); \
	if (receive.wild) \
		status = hyb_order_receive_status(&receive, status == MPI_STATUS_IGNORE ? NULL : status, &own); \
	ret = HYB_ORDER_CALL(MPI_Sendrecv##SUFFIX, out, out_count, out_type, dest, out_tag, in, in_count, in_type, \
						   source, in_tag, comm, status); \
	hyb_order_received(&receive, ret, status); \
	return ret; \
} \
\
static int o_Sendrecv_replace##SUFFIX(void *buf, COUNT count, MPI_Datatype type, int dest, int out_tag, int source, \
				      int in_tag, MPI_Comm comm, MPI_Status *status) \
{ \
	struct hyb_order_receive receive; \
	MPI_Status own; \
	int ret; \
\
	hyb_order_receive_begin(&receive, "MPI_Sendrecv_replace" #SUFFIX, &source, &in_tag, &comm); \
	if (receive.wild) \
		status = hyb_order_receive_status(&receive, status == MPI_STATUS_IGNORE ? NULL : status, &own); \
	ret = HYB_ORDER_CALL(MPI_Sendrecv_replace##SUFFIX, buf, count, type, dest, out_tag, source, in_tag, comm, \
							   status); \
	hyb_order_received(&receive, ret, status); \
	return ret; \
}

RECEIVES(, int)
#ifdef HYB_HAS_MPI_Recv_c
RECEIVES(_c, MPI_Count)
#endif

#define C(name) [HYB_F_MPI_##name] = (void *)(uintptr_t)hyb_order_##name
#define BUFFER(name) [HYB_F_MPI_##name] = (void *)(uintptr_t)o_##name
#define FORTRAN(name) \
	[HYB_E_MPI_##name##_f77] = (void *)(uintptr_t)hyb_order_##name##_f77, \
	[HYB_E_MPI_##name##_f08] = (void *)(uintptr_t)hyb_order_##name##_f08

#define LARGE(name) [HYB_E_MPI_##name##_c_f08] = (void *)(uintptr_t)hyb_order_##name##_c_f08

void *const hyb_order_functions[HYB_MPI_ENTRIES] = {
	BUFFER(Irecv), BUFFER(Isend), BUFFER(Recv), BUFFER(Recv_init), BUFFER(Sendrecv), BUFFER(Sendrecv_replace),
#ifdef HYB_HAS_MPI_Recv_c
	BUFFER(Irecv_c), BUFFER(Isend_c), BUFFER(Recv_c), BUFFER(Recv_init_c), BUFFER(Sendrecv_c),
	BUFFER(Sendrecv_replace_c),
#endif
	C(Cancel), C(Finalize), C(Improbe), C(Iprobe), C(Mprobe), C(Probe), C(Request_free), C(Request_get_status),
	C(Start), C(Startall), C(Test), C(Testall), C(Testany), C(Testsome), C(Wait), C(Waitall), C(Waitany),
	C(Waitsome), C(Win_test), C(Wtime),
#ifdef HYB_HAS_MPI_Parrived
	C(Parrived), FORTRAN(Parrived),
#endif
	FORTRAN(Irecv), FORTRAN(Isend), FORTRAN(Recv), FORTRAN(Recv_init), FORTRAN(Sendrecv), FORTRAN(Sendrecv_replace),
	LARGE(Irecv), LARGE(Isend), LARGE(Recv), LARGE(Recv_init), LARGE(Sendrecv), LARGE(Sendrecv_replace),
	FORTRAN(Cancel), FORTRAN(Finalize), FORTRAN(Improbe), FORTRAN(Iprobe), FORTRAN(Mprobe), FORTRAN(Probe),
	FORTRAN(Request_free), FORTRAN(Request_get_status),
	FORTRAN(Start), FORTRAN(Startall), FORTRAN(Test), FORTRAN(Testall), FORTRAN(Testany),
	FORTRAN(Testsome), FORTRAN(Wait), FORTRAN(Waitall), FORTRAN(Waitany), FORTRAN(Waitsome), FORTRAN(Win_test),
	[HYB_E_MPI_Wtime_f77] = (void *)(uintptr_t)hyb_order_Wtime,
	[HYB_E_MPI_Wtime_f08] = (void *)(uintptr_t)hyb_order_Wtime,
};
