/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same functions as Fortran calls them, in its two flavours. Those that take a buffer go on to Fortran's function,
 * since only that knows what a descriptor is; others become C's.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_FORTRAN_H
#define HYB_PMPI_ADAPTER_ORDER_FORTRAN_H

#include <mpi.h>

#include "pmpi/adapter/order/order.h"

void hyb_order_Recv_f77(void *buf, void *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag,
			MPI_Fint *comm, void *status, MPI_Fint *ierror);
void hyb_order_Recv_f08(void *buf, void *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag,
			MPI_Fint *comm, void *status, MPI_Fint *ierror);
void hyb_order_Recv_c_f08(void *buf, void *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag,
			MPI_Fint *comm, void *status, MPI_Fint *ierror);
void hyb_order_Irecv_f77(void *buf, void *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag,
			MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror);
void hyb_order_Irecv_f08(void *buf, void *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag,
			MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror);
void hyb_order_Irecv_c_f08(void *buf, void *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag,
			MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror);
void hyb_order_Isend_f77(void *buf, void *count, MPI_Fint *type, MPI_Fint *dest, MPI_Fint *tag,
			MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror);
void hyb_order_Isend_f08(void *buf, void *count, MPI_Fint *type, MPI_Fint *dest, MPI_Fint *tag,
			MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror);
void hyb_order_Isend_c_f08(void *buf, void *count, MPI_Fint *type, MPI_Fint *dest, MPI_Fint *tag,
			MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror);
void hyb_order_Recv_init_f77(void *buf, void *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag,
			MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror);
void hyb_order_Recv_init_f08(void *buf, void *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag,
			MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror);
void hyb_order_Recv_init_c_f08(void *buf, void *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag,
			MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror);
void hyb_order_Sendrecv_f77(void *out, void *out_count, MPI_Fint *out_type, MPI_Fint *dest, MPI_Fint *out_tag,
			void *in, void *in_count, MPI_Fint *in_type, MPI_Fint *source, MPI_Fint *tag,
			MPI_Fint *comm, void *status, MPI_Fint *ierror);
void hyb_order_Sendrecv_f08(void *out, void *out_count, MPI_Fint *out_type, MPI_Fint *dest, MPI_Fint *out_tag,
			void *in, void *in_count, MPI_Fint *in_type, MPI_Fint *source, MPI_Fint *tag,
			MPI_Fint *comm, void *status, MPI_Fint *ierror);
void hyb_order_Sendrecv_c_f08(void *out, void *out_count, MPI_Fint *out_type, MPI_Fint *dest,
			MPI_Fint *out_tag, void *in, void *in_count, MPI_Fint *in_type, MPI_Fint *source,
			MPI_Fint *tag, MPI_Fint *comm, void *status, MPI_Fint *ierror);
void hyb_order_Sendrecv_replace_f77(void *buf, void *count, MPI_Fint *type, MPI_Fint *dest, MPI_Fint *out_tag,
			MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, void *status, MPI_Fint *ierror);
void hyb_order_Sendrecv_replace_f08(void *buf, void *count, MPI_Fint *type, MPI_Fint *dest, MPI_Fint *out_tag,
			MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, void *status, MPI_Fint *ierror);
void hyb_order_Sendrecv_replace_c_f08(void *buf, void *count, MPI_Fint *type, MPI_Fint *dest,
			MPI_Fint *out_tag, MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, void *status,
			MPI_Fint *ierror);
void hyb_order_Cancel_f77(MPI_Fint *request, MPI_Fint *ierror);
void hyb_order_Cancel_f08(MPI_Fint *request, MPI_Fint *ierror);
void hyb_order_Finalize_f77(MPI_Fint *ierror);
void hyb_order_Finalize_f08(MPI_Fint *ierror);
void hyb_order_Improbe_f77(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, MPI_Fint *flag, MPI_Fint *message,
			void *status, MPI_Fint *ierror);
void hyb_order_Improbe_f08(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, MPI_Fint *flag, MPI_Fint *message,
			void *status, MPI_Fint *ierror);
void hyb_order_Iprobe_f77(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, MPI_Fint *flag, void *status,
			MPI_Fint *ierror);
void hyb_order_Iprobe_f08(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, MPI_Fint *flag, void *status,
			MPI_Fint *ierror);
void hyb_order_Mprobe_f77(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, MPI_Fint *message, void *status,
			MPI_Fint *ierror);
void hyb_order_Mprobe_f08(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, MPI_Fint *message, void *status,
			MPI_Fint *ierror);
void hyb_order_Probe_f77(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, void *status, MPI_Fint *ierror);
void hyb_order_Probe_f08(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, void *status, MPI_Fint *ierror);
void hyb_order_Request_free_f77(MPI_Fint *request, MPI_Fint *ierror);
void hyb_order_Request_free_f08(MPI_Fint *request, MPI_Fint *ierror);
void hyb_order_Request_get_status_f77(MPI_Fint *request, MPI_Fint *flag, void *status, MPI_Fint *ierror);
void hyb_order_Request_get_status_f08(MPI_Fint *request, MPI_Fint *flag, void *status, MPI_Fint *ierror);
void hyb_order_Start_f77(MPI_Fint *request, MPI_Fint *ierror);
void hyb_order_Start_f08(MPI_Fint *request, MPI_Fint *ierror);
void hyb_order_Startall_f77(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *ierror);
void hyb_order_Startall_f08(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *ierror);
void hyb_order_Test_f77(MPI_Fint *request, MPI_Fint *flag, void *status, MPI_Fint *ierror);
void hyb_order_Test_f08(MPI_Fint *request, MPI_Fint *flag, void *status, MPI_Fint *ierror);
void hyb_order_Testall_f77(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *flag, void *statuses,
			MPI_Fint *ierror);
void hyb_order_Testall_f08(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *flag, void *statuses,
			MPI_Fint *ierror);
void hyb_order_Testany_f77(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *flag, void *status,
			MPI_Fint *ierror);
void hyb_order_Testany_f08(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *flag, void *status,
			MPI_Fint *ierror);
void hyb_order_Testsome_f77(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *done, MPI_Fint *indices,
			void *statuses, MPI_Fint *ierror);
void hyb_order_Testsome_f08(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *done, MPI_Fint *indices,
			void *statuses, MPI_Fint *ierror);
void hyb_order_Wait_f77(MPI_Fint *request, void *status, MPI_Fint *ierror);
void hyb_order_Wait_f08(MPI_Fint *request, void *status, MPI_Fint *ierror);
void hyb_order_Waitall_f77(MPI_Fint *count, MPI_Fint *requests, void *statuses, MPI_Fint *ierror);
void hyb_order_Waitall_f08(MPI_Fint *count, MPI_Fint *requests, void *statuses, MPI_Fint *ierror);
void hyb_order_Waitany_f77(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *index, void *status,
			MPI_Fint *ierror);
void hyb_order_Waitany_f08(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *index, void *status,
			MPI_Fint *ierror);
void hyb_order_Waitsome_f77(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *done, MPI_Fint *indices,
			void *statuses, MPI_Fint *ierror);
void hyb_order_Waitsome_f08(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *done, MPI_Fint *indices,
			void *statuses, MPI_Fint *ierror);
void hyb_order_Win_test_f77(MPI_Fint *win, MPI_Fint *flag, MPI_Fint *ierror);
void hyb_order_Win_test_f08(MPI_Fint *win, MPI_Fint *flag, MPI_Fint *ierror);
#ifdef HYB_HAS_MPI_Parrived
void hyb_order_Parrived_f77(MPI_Fint *request, MPI_Fint *partition, MPI_Fint *flag, MPI_Fint *ierror);
void hyb_order_Parrived_f08(MPI_Fint *request, MPI_Fint *partition, MPI_Fint *flag, MPI_Fint *ierror);
#endif

#endif
