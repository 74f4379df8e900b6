/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns as Fortran's calls take them: most become C's functions. An array section of mpi_f08 that is not contiguous goes
 * on to Fortran's own function right after its turn, so that which of two threads comes first is not as certain.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_TURNS_FORTRAN_H
#define HYB_PMPI_ADAPTER_ORDER_TURNS_FORTRAN_H

#include <mpi.h>

#define HYB_TURN_SEND(NAME, FLAVOUR) \
void hyb_turn_##NAME##_##FLAVOUR(void *buf, void *count, MPI_Fint *type, MPI_Fint *dest, MPI_Fint *tag, MPI_Fint *comm, \
				 MPI_Fint *ierror)
#define HYB_TURN_POST(NAME, FLAVOUR) \
void hyb_turn_##NAME##_##FLAVOUR(void *buf, void *count, MPI_Fint *type, MPI_Fint *peer, MPI_Fint *tag, MPI_Fint *comm, \
				 MPI_Fint *request, MPI_Fint *ierror)
#define HYB_TURN_RECV(FLAVOUR) \
void hyb_turn_Recv_##FLAVOUR(void *buf, void *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, \
			     void *status, MPI_Fint *ierror)
#define HYB_TURN_SENDRECV(FLAVOUR) \
void hyb_turn_Sendrecv_##FLAVOUR(void *out, void *out_count, MPI_Fint *out_type, MPI_Fint *dest, MPI_Fint *out_tag, \
				 void *in, void *in_count, MPI_Fint *in_type, MPI_Fint *source, MPI_Fint *in_tag, \
				 MPI_Fint *comm, void *status, MPI_Fint *ierror)
#define HYB_TURN_REPLACE(FLAVOUR) \
void hyb_turn_Sendrecv_replace_##FLAVOUR(void *buf, void *count, MPI_Fint *type, MPI_Fint *dest, MPI_Fint *out_tag, \
					 MPI_Fint *source, MPI_Fint *in_tag, MPI_Fint *comm, void *status, \
					 MPI_Fint *ierror)
#define HYB_TURN_FLAVOUR(FLAVOUR) \
	HYB_TURN_SEND(Bsend, FLAVOUR); \
	HYB_TURN_SEND(Rsend, FLAVOUR); \
	HYB_TURN_SEND(Send, FLAVOUR); \
	HYB_TURN_SEND(Ssend, FLAVOUR); \
	HYB_TURN_POST(Ibsend, FLAVOUR); \
	HYB_TURN_POST(Irecv, FLAVOUR); \
	HYB_TURN_POST(Irsend, FLAVOUR); \
	HYB_TURN_POST(Isend, FLAVOUR); \
	HYB_TURN_POST(Issend, FLAVOUR); \
	HYB_TURN_RECV(FLAVOUR); \
	HYB_TURN_SENDRECV(FLAVOUR); \
	HYB_TURN_REPLACE(FLAVOUR)

HYB_TURN_FLAVOUR(f77);
HYB_TURN_FLAVOUR(f08);
HYB_TURN_FLAVOUR(c_f08);

#endif
