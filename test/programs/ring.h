/* SPDX-License-Identifier: BSD-3-Clause */
/* Test programs that make communicators: enough in each of them to see who is in it. */
#ifndef TEST_RING_H
#define TEST_RING_H

#include "expect.h"

#define INT ((long long)sizeof(int))

/* A message around the ring, and a collective operation; `me` is the rank in the job. */
static inline void use(int me, MPI_Comm comm, const char *name)
{
	int rank;
	int n;
	int got = -1;

	CALL(MPI_Comm_rank(comm, &rank));
	CALL(MPI_Comm_size(comm, &n));
	int next = (rank + 1) % n;
	int last = (rank + n - 1) % n;

	EVENTS(MPI_Sendrecv(&me, 1, MPI_INT, next, n, &got, 1, MPI_INT, last, n, comm,
			    MPI_STATUS_IGNORE),
	       expect_send(next, n, name, 4), expect_recv(last, n, name, 4));
	COLL(MPI_Allreduce(MPI_IN_PLACE, &got, 1, MPI_INT, MPI_SUM, comm), NO_ROOT, name, (n - 1) * INT,
	     (n - 1) * INT);
	printf("%d: %s: %d of %d, sum %d\n", me, name, rank, n, got);
}

#endif
