/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * WAYS(Op, op, root, sent, received, arguments): the collective operation MPI_Op, as COLL; where `ways` is set, before
 * it non-blocking and, where the MPI has that, persistent. Wants `name`, what the communicator is called, and
 * report(), which shows what has come of an operation and makes all ready for the next.
 */
#ifndef TEST_WAYS_H
#define TEST_WAYS_H

#include "requests.h"

#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#ifdef HYB_HAS_MPI_Barrier_init
#define PERSISTENT_INIT(Op, ...) CALL(MPI_##Op##_init(__VA_ARGS__, MPI_INFO_NULL, &request_))
#elif defined(HYB_HAS_MPIX_Barrier_init)
#define PERSISTENT_INIT(Op, ...) CALL(MPIX_##Op##_init(__VA_ARGS__, MPI_INFO_NULL, &request_))
#endif

static bool ways;

#define WAITED(op, root, sent, received) do {				\
	EVENTS(MPI_Wait(&request_, MPI_STATUS_IGNORE), (void)0,		\
	       expect_icoll_done(#op, name, root, sent, received, number_)); \
	report(#op " later");						\
} while (0)

#define NONBLOCKING(op, root, sent, received, ...) do {			\
	EVENTS(MPI_I##op(__VA_ARGS__, &request_), (void)0, number_ = expect_icoll(#op, name)); \
	WAITED(op, root, sent, received);				\
} while (0)

#ifdef PERSISTENT_INIT
#define PERSISTENT(Op, op, root, sent, received, ...) do {		\
	PERSISTENT_INIT(Op, __VA_ARGS__);				\
	for (int turn_ = 0; turn_ < 2; turn_++) {			\
		EVENTS(MPI_Start(&request_), (void)0, number_ = expect_icoll(#op, name)); \
		WAITED(op, root, sent, received);			\
	}								\
	CALL(MPI_Request_free(&request_));				\
} while (0)
#else
#define PERSISTENT(Op, op, root, sent, received, ...) (void)0
#endif

#define WAYS(Op, op, root, sent, received, ...) do {			\
	MPI_Request request_;						\
	int number_;							\
	if (ways) {							\
		NONBLOCKING(op, root, sent, received, __VA_ARGS__);	\
		PERSISTENT(Op, op, root, sent, received, __VA_ARGS__);	\
	}								\
	COLL(MPI_##Op(__VA_ARGS__), root, name, sent, received);	\
} while (0)

#endif
