/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of C's that take a turn, all of C's and Fortran's by entry, and the begin of turns. */
#include <sched.h>

#include "pmpi/adapter/order/order.h"
#include "pmpi/adapter/order/turns-fortran.h"
#include "pmpi/adapter/order/turns.h"

#define SENDS(NAME, IMMEDIATE, SUFFIX, COUNT) \
static int t_##NAME##SUFFIX(const void *buf, COUNT count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) \
{ \
	return hyb_turn_send(HYB_F_MPI_##NAME, buf, count, type, dest, tag, comm, NULL); \
} \
\
static int t_##IMMEDIATE##SUFFIX(const void *buf, COUNT count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, \
				 MPI_Request *request) \
{ \
	return hyb_turn_send(HYB_F_MPI_##IMMEDIATE, buf, count, type, dest, tag, comm, request); \
}

#define RECEIVES(SUFFIX, COUNT) \
static int t_Recv##SUFFIX(void *buf, COUNT count, MPI_Datatype type, int source, int tag, MPI_Comm comm, \
			  MPI_Status *status) \
{ \
	return hyb_turn_receive(buf, count, type, source, tag, comm, NULL, status); \
} \
\
static int t_Irecv##SUFFIX(void *buf, COUNT count, MPI_Datatype type, int source, int tag, MPI_Comm comm, \
			   MPI_Request *request) \
{ \
	return hyb_turn_receive(buf, count, type, source, tag, comm, request, MPI_STATUS_IGNORE); \
} \
\
static int t_Sendrecv##SUFFIX(const void *out, COUNT out_count, MPI_Datatype out_type, int dest, int out_tag, \
			      void *in, COUNT in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, \
			      MPI_Status *status) \
{ \
	const struct hyb_turn_exchange e = { out, out_count, out_type, dest, out_tag, in, in_count, in_type, source, \
					     in_tag, comm }; \
\
	return hyb_turn_sendrecv(&e, status); \
} \
\
static int t_Sendrecv_replace##SUFFIX(void *buf, COUNT count, MPI_Datatype type, int dest, int out_tag, int source, \
				      int in_tag, MPI_Comm comm, MPI_Status *status) \
{ \
	const struct hyb_turn_exchange e = { NULL, 0, type, dest, out_tag, buf, count, type, source, in_tag, comm }; \
\
	return hyb_turn_sendrecv_replace(&e, status); \
}

#define ALL(SUFFIX, COUNT) \
	SENDS(Send, Isend, SUFFIX, COUNT) \
	SENDS(Bsend, Ibsend, SUFFIX, COUNT) \
	SENDS(Rsend, Irsend, SUFFIX, COUNT) \
	SENDS(Ssend, Issend, SUFFIX, COUNT) \
	RECEIVES(SUFFIX, COUNT)

ALL(, int)
#ifdef HYB_HAS_MPI_Recv_c
ALL(_c, MPI_Count)
#endif

static int t_Start(MPI_Request *request)
{
	struct hyb_order *order = hyb_turn_mine();
	int ret;

	hyb_turn_begin(order);
	ret = PMPI_Start(request);
	hyb_turn_end(order, true);
	return ret;
}

static int t_Startall(int count, MPI_Request *requests)
{
	struct hyb_order *order = hyb_turn_mine();
	int ret;

	hyb_turn_begin(order);
	ret = PMPI_Startall(count, requests);
	hyb_turn_end(order, true);
	return ret;
}

/* What a probe finds depends on what was received before. It is a turn if it finds something. */
static int t_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	struct hyb_order *order = hyb_turn_mine();
	int ret;

	hyb_turn_begin(order);
	ret = PMPI_Iprobe(source, tag, comm, flag, status);
	hyb_turn_end(order, ret != MPI_SUCCESS || *flag);
	return ret;
}

static int t_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
	struct hyb_order *order = hyb_turn_mine();
	int ret;

	hyb_turn_begin(order);
	ret = PMPI_Improbe(source, tag, comm, flag, message, status);
	hyb_turn_end(order, ret != MPI_SUCCESS || *flag);
	return ret;
}

static int t_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	int flag = 0, ret;

	while ((ret = t_Iprobe(source, tag, comm, &flag, status)) == MPI_SUCCESS && !flag)
		sched_yield();
	return ret;
}

static int t_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
	int flag = 0, ret;

	while ((ret = t_Improbe(source, tag, comm, &flag, message, status)) == MPI_SUCCESS && !flag)
		sched_yield();
	return ret;
}

#define C(name) [HYB_F_MPI_##name] = (void *)(uintptr_t)t_##name
#define COUNTED(suffix) \
	C(Bsend##suffix), C(Ibsend##suffix), C(Irecv##suffix), C(Irsend##suffix), C(Isend##suffix), C(Issend##suffix), \
	C(Recv##suffix), C(Rsend##suffix), C(Send##suffix), C(Sendrecv##suffix), C(Sendrecv_replace##suffix), \
	C(Ssend##suffix)
#define FORTRAN(name) \
	[HYB_E_MPI_##name##_f77] = (void *)(uintptr_t)hyb_turn_##name##_f77, \
	[HYB_E_MPI_##name##_f08] = (void *)(uintptr_t)hyb_turn_##name##_f08, \
	[HYB_E_MPI_##name##_c_f08] = (void *)(uintptr_t)hyb_turn_##name##_c_f08

void *const hyb_turn_functions[HYB_MPI_ENTRIES] = {
	COUNTED(),
#ifdef HYB_HAS_MPI_Recv_c
	COUNTED(_c),
#endif
	C(Improbe), C(Iprobe), C(Mprobe), C(Probe), C(Start), C(Startall),
	FORTRAN(Bsend), FORTRAN(Ibsend), FORTRAN(Irecv), FORTRAN(Irsend), FORTRAN(Isend), FORTRAN(Issend), FORTRAN(Recv),
	FORTRAN(Rsend), FORTRAN(Send), FORTRAN(Sendrecv), FORTRAN(Sendrecv_replace), FORTRAN(Ssend),
};

/* The functions for the order call some that the program does not. */
static void put_between(void)
{
	for (unsigned int i = 0; i < HYB_MPI_FUNCTIONS; i++) {
		if (hyb_turn_functions[i] && !HYB_BENEATH(i))
			__atomic_store_n(&hyb_mpi_beneath[i], hyb_turn_functions[i], __ATOMIC_RELEASE);
	}
}

void hyb_order_start(bool multiple)
{
	const bool replays = *hyb_config.replay != 0;

	if (hyb_turns_on || (hyb_config.order == HYB_ORDER_WISH_NO && !replays))
		return;
	if (replays)
		hyb_replay_start_turns(multiple);
	else
		hyb_turns_start(&(struct hyb_turns){ .mpi = multiple, .openmp = true });
	if (multiple)
		put_between();
}
