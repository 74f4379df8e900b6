/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * icoll-fails: collective operations, non-blocking and blocking, that begin in all members and end with an error in one
 * of them, among others. The n-th of each member is one operation all the same. A call with a wrong argument is none.
 */
#include "requests.h"

static int me;

/* Another root and another operation each time: a shift does not go unnoticed. */
static void sound(int i)
{
	MPI_Request request;
	int value = 4711;
	int sum;
	int r;

	if (i % 2) {
		EVENTS(MPI_Ibcast(&value, 1, MPI_INT, i / 2 % 2, MPI_COMM_WORLD, &request), (void)0,
		       r = expect_icoll("bcast", WORLD));
		EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0,
		       expect_icoll_done("bcast", WORLD, i / 2 % 2, i / 2 % 2 == me ? 8 : 0, 4, r));
	} else {
		EVENTS(MPI_Iallreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request), (void)0,
		       r = expect_icoll("allreduce", WORLD));
		EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0,
		       expect_icoll_done("allreduce", WORLD, NO_ROOT, 8, 8, r));
		CHECK(sum == 1);
	}
}

/* Rank 1 has no room for what rank 0 sends. Some MPIs tell the others, too; some tell nobody. */
static void unsound(bool all)
{
	MPI_Request request;
	int data[8] = { 0 };
	int n = me ? 2 : 8;
	int r;

	EVENTS(MPI_Ibcast(data, n, MPI_INT, 0, MPI_COMM_WORLD, &request), (void)0,
	       r = expect_icoll("bcast", WORLD));
	if (all) {
		expect_call("enter", "MPI_Waitall");
		int ret = MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);

		expect_icoll_done("bcast", WORLD, 0, me ? 0 : 2 * 4 * n, 4 * n, r);
		expect_call("leave", "MPI_Waitall");
		if (ret != MPI_SUCCESS)
			expect_line("  error code=%d", ret);
	} else {
		EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0, {
			if (ret_ != MPI_SUCCESS)
				expect_line("  error code=%d", ret_);
			expect_icoll_done("bcast", WORLD, 0, me ? 0 : 2 * 4 * n, 4 * n, r);
		});
	}
	CHECK(request == MPI_REQUEST_NULL);
}

static void unsound_call(void)
{
	int data[8] = { 0 };
	int n = me ? 2 : 8;

	EVENTS(MPI_Bcast(data, n, MPI_INT, 0, MPI_COMM_WORLD), (void)0, {
		if (ret_ != MPI_SUCCESS)
			expect_line("  error code=%d", ret_);
		expect_coll(0, WORLD, me ? 0 : 2 * 4 * n, 4 * n);
	});
	if (me)
		FAIL(MPI_Bcast(data, -1, MPI_INT, 0, MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	for (int i = 0; i < 4; i++)
		sound(i);
	unsound(false);
	for (int i = 0; i < 4; i++)
		sound(i);
	unsound(true);
	for (int i = 0; i < 4; i++)
		sound(i);
	unsound_call();
	for (int i = 0; i < 4; i++)
		sound(i);
	CALL(MPI_Finalize());
	return 0;
}
