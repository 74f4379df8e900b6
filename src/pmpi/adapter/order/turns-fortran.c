/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns as Fortran's calls take them; see turns-fortran.h. */
#include "pmpi/adapter/order/turns-fortran.h"

#include <stddef.h>

#include "pmpi/adapter/fortran/fortran.h"
#include "pmpi/adapter/order/order.h"
#include "pmpi/adapter/order/turns.h"

enum flavour { F77, F08 };

/* An array that comes as a descriptor, as gfortran has them (ISO_Fortran_binding.h), whose MPICH is built with it. */
struct descriptor {
	void *base;
	size_t element;
	int version;
	signed char rank;
	signed char attribute;
	short type;
	struct {
		ptrdiff_t lower;
		ptrdiff_t extent; /* -1: of unknown size, and contiguous */
		ptrdiff_t stride; /* bytes */
	} dims[];
};

/* The address of a buffer as C has it. False: its elements do not lie one after the other. */
static bool find_buffer(void *buf, enum flavour flavour, void **address)
{
#ifdef MPICH
	const struct descriptor *d = buf;
	ptrdiff_t next;

	if (flavour == F08) {
		*address = (void *)(uintptr_t)hyb_f08ts_buffer(buf);
		next = (ptrdiff_t)d->element;
		for (int i = 0; i < d->rank; i++) {
			if (d->dims[i].extent != 1 && d->dims[i].stride != next)
				return false;
			next *= d->dims[i].extent;
		}
		return true;
	}
#endif
	(void)flavour;
	*address = (void *)(uintptr_t)hyb_fortran_buffer(buf);
	return true;
}

/* A turn for a call that is made after it. */
static void pass_turn(void)
{
	struct hyb_order *order = hyb_turn_mine();

	hyb_turn_begin(order);
	hyb_turn_end(order, true);
}

#define NEXT(name, type) ((type *)__atomic_load_n(&hyb_mpi_after_turns[name], __ATOMIC_RELAXED))

static void give_request(int ret, MPI_Request from, MPI_Fint *to, MPI_Fint *ierror)
{
	if (ret == MPI_SUCCESS)
		*to = PMPI_Request_c2f(from);
	hyb_fortran_give_error(ret, ierror);
}

typedef void send_function(void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
typedef void post_function(void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
typedef void receive_function(void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, void *, MPI_Fint *);
typedef void sendrecv_function(void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, void *, void *, MPI_Fint *,
			       MPI_Fint *, MPI_Fint *, MPI_Fint *, void *, MPI_Fint *);
typedef void replace_function(void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *,
			      void *, MPI_Fint *);

#define SEND(NAME, FLAVOUR, BUFFER, COUNT) \
HYB_TURN_SEND(NAME, FLAVOUR) \
{ \
	void *address; \
	int ret; \
\
	if (find_buffer(buf, BUFFER, &address)) { \
		ret = hyb_turn_send(HYB_F_MPI_##NAME, address, *(const COUNT *)count, PMPI_Type_f2c(*type), *dest, \
				    *tag, PMPI_Comm_f2c(*comm), NULL); \
		hyb_fortran_give_error(ret, ierror); \
		return; \
	} \
	pass_turn(); \
	NEXT(HYB_E_MPI_##NAME##_##FLAVOUR, send_function)(buf, count, type, dest, tag, comm, ierror); \
}

#define POST(NAME, FLAVOUR, BUFFER, COUNT) \
HYB_TURN_POST(NAME, FLAVOUR) \
{ \
	MPI_Request posted; \
	void *address; \
	int ret; \
\
	if (find_buffer(buf, BUFFER, &address)) { \
		ret = hyb_turn_send(HYB_F_MPI_##NAME, address, *(const COUNT *)count, PMPI_Type_f2c(*type), *peer, \
				    *tag, PMPI_Comm_f2c(*comm), &posted); \
		give_request(ret, posted, request, ierror); \
		return; \
	} \
	pass_turn(); \
	NEXT(HYB_E_MPI_##NAME##_##FLAVOUR, post_function)(buf, count, type, peer, tag, comm, request, ierror); \
}

#define RECEIVES(FLAVOUR, BUFFER, COUNT) \
HYB_TURN_POST(Irecv, FLAVOUR) \
{ \
	MPI_Request posted; \
	void *address; \
	int ret; \
\
	if (find_buffer(buf, BUFFER, &address)) { \
		ret = hyb_turn_receive(address, *(const COUNT *)count, PMPI_Type_f2c(*type), *peer, *tag, \
				       PMPI_Comm_f2c(*comm), &posted, MPI_STATUS_IGNORE); \
		give_request(ret, posted, request, ierror); \
		return; \
	} \
	pass_turn(); \
	NEXT(HYB_E_MPI_Irecv_##FLAVOUR, post_function)(buf, count, type, peer, tag, comm, request, ierror); \
} \
\
HYB_TURN_RECV(FLAVOUR) \
{ \
	MPI_Status own = { .MPI_ERROR = MPI_SUCCESS }; \
	void *address; \
	int ret; \
\
	if (find_buffer(buf, BUFFER, &address)) { \
		ret = hyb_turn_receive(address, *(const COUNT *)count, PMPI_Type_f2c(*type), *source, *tag, \
				       PMPI_Comm_f2c(*comm), NULL, &own); \
		hyb_fortran_give_status(&own, status); \
		hyb_fortran_give_error(ret, ierror); \
		return; \
	} \
	pass_turn(); \
	NEXT(HYB_E_MPI_Recv_##FLAVOUR, receive_function)(buf, count, type, source, tag, comm, status, ierror); \
} \
\
HYB_TURN_SENDRECV(FLAVOUR) \
{ \
	struct hyb_turn_exchange e = { .dest = *dest, .out_tag = *out_tag, .source = *source, .in_tag = *in_tag }; \
	void *from; \
	MPI_Status own = { .MPI_ERROR = MPI_SUCCESS }; \
\
	if (find_buffer(out, BUFFER, &from) && find_buffer(in, BUFFER, &e.in)) { \
		e.out = from; \
		e.out_count = *(const COUNT *)out_count; \
		e.out_type = PMPI_Type_f2c(*out_type); \
		e.in_count = *(const COUNT *)in_count; \
		e.in_type = PMPI_Type_f2c(*in_type); \
		e.comm = PMPI_Comm_f2c(*comm); \
		hyb_fortran_give_error(hyb_turn_sendrecv(&e, &own), ierror); \
		hyb_fortran_give_status(&own, status); \
		return; \
	} \
	pass_turn(); \
	NEXT(HYB_E_MPI_Sendrecv_##FLAVOUR, sendrecv_function)(out, out_count, out_type, dest, out_tag, in, in_count, \
							      in_type, source, in_tag, comm, status, ierror); \
} \
\
HYB_TURN_REPLACE(FLAVOUR) \
{ \
	struct hyb_turn_exchange e = { .dest = *dest, .out_tag = *out_tag, .source = *source, .in_tag = *in_tag }; \
	MPI_Status own = { .MPI_ERROR = MPI_SUCCESS }; \
\
	if (find_buffer(buf, BUFFER, &e.in)) { \
		e.in_count = *(const COUNT *)count; \
		e.in_type = PMPI_Type_f2c(*type); \
		e.comm = PMPI_Comm_f2c(*comm); \
		hyb_fortran_give_error(hyb_turn_sendrecv_replace(&e, &own), ierror); \
		hyb_fortran_give_status(&own, status); \
		return; \
	} \
	pass_turn(); \
	NEXT(HYB_E_MPI_Sendrecv_replace_##FLAVOUR, replace_function)(buf, count, type, dest, out_tag, source, in_tag, \
								     comm, status, ierror); \
}

#define ALL(FLAVOUR, BUFFER, COUNT) \
SEND(Bsend, FLAVOUR, BUFFER, COUNT) \
SEND(Rsend, FLAVOUR, BUFFER, COUNT) \
SEND(Send, FLAVOUR, BUFFER, COUNT) \
SEND(Ssend, FLAVOUR, BUFFER, COUNT) \
POST(Ibsend, FLAVOUR, BUFFER, COUNT) \
POST(Irsend, FLAVOUR, BUFFER, COUNT) \
POST(Isend, FLAVOUR, BUFFER, COUNT) \
POST(Issend, FLAVOUR, BUFFER, COUNT) \
RECEIVES(FLAVOUR, BUFFER, COUNT)

ALL(f77, F77, MPI_Fint)
ALL(f08, F08, MPI_Fint)
ALL(c_f08, F08, MPI_Count)
