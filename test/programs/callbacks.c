/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * callbacks: MPI calls the program back, which calls MPI: functions of attributes, of operations, of generalized
 * requests, of errors, some of which never return. Such calls lie inside of the program's own call and are none; what
 * they do to communicators is known all the same. And what is under way on a communicator that is freed. On two ranks.
 */
#include <setjmp.h>

#include "generalized.h"
#include "requests.h"

static MPI_Comm world = MPI_COMM_WORLD;
static int me;
static int peer;

static void exchange(MPI_Comm comm, const char *name, int tag)
{
	int value = me;
	int got = -1;

	EVENTS(MPI_Sendrecv(&value, 1, MPI_INT, peer, tag, &got, 1, MPI_INT, peer, tag, comm, MPI_STATUS_IGNORE),
	       expect_send(peer, tag, name, 4), expect_recv(peer, tag, name, 4));
	CHECK(got == peer);
}

/* What libraries do: each communicator carries one of the library's own, which comes and goes with it. */
static int copy_inner(MPI_Comm comm, int key, void *state, void *value, void *copy, int *flag)
{
	MPI_Comm *inner = malloc(sizeof(*inner));

	(void)comm;
	(void)key;
	(void)state;
	CHECK(inner);
	MPI_Comm_dup(*(MPI_Comm *)value, inner);
	*(MPI_Comm **)copy = inner;
	*flag = 1;
	return MPI_SUCCESS;
}

static int delete_inner(MPI_Comm comm, int key, void *value, void *state)
{
	int rank;

	(void)key;
	(void)state;
	MPI_Comm_rank(comm, &rank);
	CHECK(rank == me);
	MPI_Comm_free((MPI_Comm *)value);
	free(value);
	return MPI_SUCCESS;
}

static void attributes(void)
{
	MPI_Comm *inner = malloc(sizeof(*inner));
	MPI_Comm outer[2];
	MPI_Comm after;
	int flag;
	int key;

	CHECK(inner);
	CALL(MPI_Comm_dup(world, &outer[0]));
	CALL(MPI_Comm_set_name(outer[0], "outer"));
	CALL(MPI_Comm_dup(world, inner));
	CALL(MPI_Comm_set_name(*inner, "inner"));
	CALL(MPI_Comm_create_keyval(copy_inner, delete_inner, &key, NULL));
	CALL(MPI_Comm_set_attr(outer[0], key, inner));
	CALL(MPI_Comm_dup(outer[0], &outer[1]));
	CALL(MPI_Comm_set_name(outer[1], "outer-copy"));
	CALL(MPI_Comm_get_attr(outer[1], key, &inner, &flag));
	CHECK(flag);
	CALL(MPI_Comm_set_name(*inner, "inner-copy"));
	exchange(outer[1], "outer-copy", 1);
	exchange(*inner, "inner-copy", 2);
	/* the first goes with its inner one; what is made next may get their handles */
	CALL(MPI_Comm_free(&outer[0]));
	CALL(MPI_Comm_dup(world, &after));
	CALL(MPI_Comm_set_name(after, "after"));
	exchange(after, "after", 3);
	exchange(*inner, "inner-copy", 4);
	CALL(MPI_Comm_free(&outer[1]));
	exchange(after, "after", 5);
	CALL(MPI_Comm_free(&after));
	CALL(MPI_Comm_free_keyval(&key));
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	MPI_Aint lower;
	MPI_Aint extent;
	int size;

	MPI_Type_size(*type, &size);
	MPI_Type_get_extent(*type, &lower, &extent);
	CHECK(size == 4 && extent == 4);
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static void operations(void)
{
	MPI_Request request;
	int all = 0;
	int number;
	MPI_Op op;

	CALL(MPI_Op_create(add, 1, &op));
	COLL(MPI_Allreduce(&me, &all, 1, MPI_INT, op, world), NO_ROOT, WORLD, 8, 8);
	CHECK(all == 1);
	EVENTS(MPI_Iallreduce(&me, &all, 1, MPI_INT, op, world, &request), (void)0,
	       number = expect_icoll("allreduce", WORLD));
	EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0,
	       expect_icoll_done("allreduce", WORLD, NO_ROOT, 8, 8, number));
	CHECK(all == 1);
	CALL(MPI_Op_free(&op));
}

static int query_more(void *state, MPI_Status *status)
{
	int rank;

	MPI_Comm_rank(world, &rank);
	CHECK(rank == me);
	return query(state, status);
}

static int free_more(void *state)
{
	MPI_Comm_free(state);
	return MPI_SUCCESS;
}

static void generalized(void)
{
	MPI_Request request;
	MPI_Comm comm;

	CALL(MPI_Comm_dup(world, &comm));
	CALL(MPI_Comm_set_name(comm, "carried"));
	exchange(comm, "carried", 6);
	CALL(MPI_Grequest_start(query_more, free_more, cancel, &comm, &request));
	CALL(MPI_Grequest_complete(request));
	CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
	CHECK(comm == MPI_COMM_NULL);
	CALL(MPI_Comm_dup(world, &comm));
	CALL(MPI_Comm_set_name(comm, "next"));
	exchange(comm, "next", 7);
	CALL(MPI_Comm_free(&comm));
}

/* Freed is the handle: what is under way comes to its end, and is on that communicator. */
static void freed(void)
{
	MPI_Request requests[2];
	MPI_Message message;
	MPI_Comm comm;
	MPI_Comm next;
	int value = me;
	int got[2];
	int r;
	int s;

	CALL(MPI_Comm_dup(world, &comm));
	CALL(MPI_Comm_set_name(comm, "freed"));
	SEND(MPI_Send(&value, 1, MPI_INT, peer, 8, comm), peer, 8, "freed", 4);
	EVENTS(MPI_Irecv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, 9, comm, &requests[0]), (void)0, r = expect_irecv());
	EVENTS(MPI_Issend(&value, 1, MPI_INT, peer, 9, comm, &requests[1]),
	       s = expect_isend(peer, 9, "freed", 4), (void)0);
	CALL(MPI_Mprobe(peer, 8, comm, &message, MPI_STATUS_IGNORE));
	CALL(MPI_Comm_free(&comm));
	CALL(MPI_Comm_dup(world, &next));
	CALL(MPI_Comm_set_name(next, "next"));
	exchange(next, "next", 9);
	RECV(MPI_Mrecv(&got[1], 1, MPI_INT, &message, MPI_STATUS_IGNORE), peer, 8, "freed", 4);
	MANY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), {
		expect_irecv_done(peer, 9, "freed", 4, r);
		expect_request("sent", s);
	});
	CHECK(got[0] == peer && got[1] == peer);
	CALL(MPI_Comm_free(&next));
}

static jmp_buf back;
static volatile int jumps;

static void on_error(MPI_Comm *comm, int *error, ...)
{
	char text[MPI_MAX_ERROR_STRING];
	int length;
	int rank = -1;

	MPI_Comm_rank(*comm, &rank);
	MPI_Error_string(*error, text, &length);
	CHECK(rank >= 0 && length > 0);
	if (jumps)
		longjmp(back, 1);
}

static void left(const char *call)
{
	expect_line("leave %s", call);
	expect_line("  abandoned");
}

static void errors(void)
{
	static int data[4];
	MPI_Errhandler handler;
	MPI_Request requests[2];
	MPI_Comm comm;
	MPI_Comm made;
	int extent = 100;
	int zero = 0;
	int number[2];
	int got[2];

	CALL(MPI_Comm_dup(world, &comm));
	CALL(MPI_Comm_set_name(comm, "wrong"));
	CALL(MPI_Comm_create_errhandler(on_error, &handler));
	CALL(MPI_Comm_set_errhandler(comm, handler));
	/* which one an error of a request comes to differs from MPI to MPI */
	CALL(MPI_Comm_set_errhandler(world, handler));
	CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
	/* one that comes back */
	exchange(comm, "wrong", 1);
	CHECK(FAIL(MPI_Send(data, 1, MPI_INT, 2, 1, comm)) != MPI_SUCCESS);
	/* and some that do not: from a send, from what makes a communicator, from a request */
	jumps = 1;
	if (!setjmp(back)) {
		expect_line("enter MPI_Send");
		MPI_Send(data, 1, MPI_INT, 2, 1, comm);
		CHECK(!"came back");
	}
	left("MPI_Send");
	if (!setjmp(back)) {
		expect_line("enter MPI_Cart_create");
		MPI_Cart_create(comm, 1, &extent, &zero, 0, &made);
		CHECK(!"came back");
	}
	left("MPI_Cart_create");
	EVENTS(MPI_Irecv(got, 1, MPI_INT, peer, 2, comm, &requests[0]), (void)0, expect_irecv());
	EVENTS(MPI_Isend(data, 2, MPI_INT, peer, 2, comm, &requests[1]),
	       number[1] = expect_isend(peer, 2, "wrong", 8), (void)0);
	if (!setjmp(back)) {
		expect_line("enter MPI_Wait");
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
		CHECK(!"came back");
	}
	left("MPI_Wait");
	jumps = 0;
	EVENTS(MPI_Wait(&requests[1], MPI_STATUS_IGNORE), (void)0, expect_request("sent", number[1]));
	/* what comes next may have their handles, and is something else */
	EVENTS(MPI_Irecv(got, 2, MPI_INT, peer, 3, comm, &requests[0]), (void)0, number[0] = expect_irecv());
	EVENTS(MPI_Isend(data, 1, MPI_INT, peer, 3, comm, &requests[1]),
	       number[1] = expect_isend(peer, 3, "wrong", 4), (void)0);
	EVENTS(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), (void)0, expect_irecv_done(peer, 3, "wrong", 4, number[0]));
	EVENTS(MPI_Wait(&requests[1], MPI_STATUS_IGNORE), (void)0, expect_request("sent", number[1]));
	CALL(MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL));
	CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
	CALL(MPI_Errhandler_free(&handler));
	CALL(MPI_Comm_free(&comm));
}

/* What libraries clean up with: MPI_Finalize deletes the attributes of MPI_COMM_SELF first. */
static int clean_up(MPI_Comm comm, int key, void *value, void *state)
{
	int flag;

	(void)comm;
	(void)key;
	(void)state;
	MPI_Finalized(&flag);
	CHECK(!flag);
	MPI_Barrier(*(MPI_Comm *)value);
	MPI_Comm_free((MPI_Comm *)value);
	return MPI_SUCCESS;
}

static void leave_something(void)
{
	static MPI_Comm comm;
	int key;

	CALL(MPI_Comm_dup(world, &comm));
	CALL(MPI_Comm_set_name(comm, "left"));
	CALL(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, clean_up, &key, NULL));
	CALL(MPI_Comm_set_attr(MPI_COMM_SELF, key, &comm));
	exchange(comm, "left", 10);
}

int main(int argc, char **argv)
{
	int size;

	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(world, &me));
	CALL(MPI_Comm_size(world, &size));
	CHECK(size == 2);
	peer = 1 - me;
	attributes();
	operations();
	generalized();
	freed();
	errors();
	leave_something();
	CALL(MPI_Finalize());
	return 0;
}
