/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An MPI of one process for test/programs/storm.c, with the ABI of MPICH: for the thread sanitizer. A real MPI orders its
 * threads by locks of its own, which the sanitizer sees and takes for ours, or does not see and takes for a fault. This
 * one is not instrumented and synchronises by system calls and instructions that no sanitizer sees, so that what is
 * reported, and what is not, is due to the program and the library only. It gives the handle of a request that is
 * complete to the next one.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mpi.h>

#define REQUESTS	4096
#define COMMS		256
#define REQUEST_0	0x70000000
#define COMM_0		0x74000000
#define READY		0x78000000 /* of all operations that are complete when they begin, as MPIs do it */

#define MPI(name, parameters, ...) \
	int PMPI_##name parameters __VA_ARGS__ \
	int MPI_##name parameters __attribute__((alias("PMPI_" #name)));

struct request {
	int used;
	int persistent;
	int active;
	int complete;
	int cancelled;
	int send;
	int context;
	int tag;
	int count;	/* int, the only type */
	int *buffer;
	MPI_Status status;
	int next;	/* of those that are free */
};

/* What an adapter wants of Fortran, by name. */
MPI_Fint *MPI_F_STATUS_IGNORE;
MPI_Fint *MPI_F_STATUSES_IGNORE;
static MPI_F08_status f08_ignore;
MPI_F08_status *MPI_F08_STATUS_IGNORE = &f08_ignore;
MPI_F08_status *MPI_F08_STATUSES_IGNORE = &f08_ignore;

static struct request requests[REQUESTS];
static int first_free = -1;
static int used_requests;
static int comm_used[COMMS];
static volatile int locked;

static void lock(void)
{
	while (__atomic_exchange_n(&locked, 1, __ATOMIC_SEQ_CST))
		syscall(SYS_sched_yield);
}

static void unlock(void)
{
	__atomic_store_n(&locked, 0, __ATOMIC_SEQ_CST);
}

static struct request *request_of(MPI_Request r)
{
	if (r < REQUEST_0 || r >= REQUEST_0 + REQUESTS || !requests[r - REQUEST_0].used)
		abort();
	return &requests[r - REQUEST_0];
}

static int context_of(MPI_Comm comm)
{
	if (comm == MPI_COMM_WORLD)
		return COMMS;
	if (comm < COMM_0 || comm >= COMM_0 + COMMS || !comm_used[comm - COMM_0])
		abort();
	return comm - COMM_0;
}

static MPI_Request new_request(int send, const void *buffer, int count, int tag, MPI_Comm comm)
{
	int i = first_free;

	if (i >= 0)
		first_free = requests[i].next;
	else if (used_requests < REQUESTS)
		i = used_requests++;
	else
		abort();
	requests[i] = (struct request){
		.used = 1, .send = send, .context = context_of(comm), .tag = tag, .count = count,
		.buffer = (int *)buffer,
	};
	return REQUEST_0 + i;
}

static void free_request(MPI_Request *r)
{
	struct request *q = request_of(*r);

	q->used = 0;
	q->next = first_free;
	first_free = *r - REQUEST_0;
	*r = MPI_REQUEST_NULL;
}

static void finish(struct request *q, int tag, int count)
{
	q->complete = 1;
	q->status = (MPI_Status){ .MPI_TAG = tag };
	q->status.count_lo = count * 4;
}

/* Looks for the other half; what began first is found first where tags differ, which is all that is asked for. */
static void begin(struct request *q)
{
	q->active = 1;
	q->complete = 0;
	q->cancelled = 0;
	for (int i = 0; i < used_requests; i++) {
		struct request *o = &requests[i];
		struct request *from = q->send ? q : o;
		struct request *to = q->send ? o : q;

		if (o == q || !o->used || !o->active || o->complete || o->send == q->send ||
		    o->context != q->context || o->tag != q->tag)
			continue;
		for (int n = 0; n < from->count; n++)
			((volatile int *)to->buffer)[n] = from->buffer[n];
		finish(to, from->tag, from->count);
		finish(from, from->tag, from->count);
		return;
	}
}

/* Nonzero if it is complete, or nothing is under way; then it is as after MPI_Test. */
static int end(MPI_Request *r, MPI_Status *status, int *was_active)
{
	struct request *q;

	*was_active = 0;
	if (*r == MPI_REQUEST_NULL)
		return 1;
	if (*r == READY) {
		*was_active = 1;
		if (status != MPI_STATUS_IGNORE)
			*status = (MPI_Status){ .MPI_SOURCE = MPI_PROC_NULL, .MPI_TAG = MPI_ANY_TAG };
		*r = MPI_REQUEST_NULL;
		return 1;
	}
	q = request_of(*r);
	if (!q->active)
		return 1;
	if (!q->complete)
		return 0;
	*was_active = 1;
	if (status != MPI_STATUS_IGNORE) {
		*status = q->status;
		status->count_hi_and_cancelled = q->cancelled;
	}
	q->active = 0;
	if (!q->persistent)
		free_request(r);
	return 1;
}

static int some(int n, MPI_Request *r, int *count, int *indices, MPI_Status *statuses, int most)
{
	int any = 0;

	*count = 0;
	lock();
	for (int i = 0; i < n && *count < most; i++) {
		int was_active;
		int ended = end(&r[i], &statuses[*count], &was_active);

		any |= !ended || was_active;
		if (was_active)
			indices[(*count)++] = i;
	}
	unlock();
	if (!any)
		*count = MPI_UNDEFINED;
	return *count != 0;
}

MPI(Test, (MPI_Request *r, int *flag, MPI_Status *status), {
	int was_active;

	lock();
	*flag = end(r, status, &was_active);
	unlock();
	return MPI_SUCCESS;
})

MPI(Testall, (int n, MPI_Request r[], int *flag, MPI_Status statuses[]), {
	int was_active;

	lock();
	*flag = 1;
	for (int i = 0; i < n; i++)
		if (r[i] != MPI_REQUEST_NULL && r[i] != READY && request_of(r[i])->active &&
		    !request_of(r[i])->complete)
			*flag = 0;
	for (int i = 0; *flag && i < n; i++)
		end(&r[i], &statuses[i], &was_active);
	unlock();
	return MPI_SUCCESS;
})

MPI(Testsome, (int n, MPI_Request r[], int *count, int indices[], MPI_Status statuses[]), {
	some(n, r, count, indices, statuses, n);
	return MPI_SUCCESS;
})

MPI(Testany, (int n, MPI_Request r[], int *index, int *flag, MPI_Status *status), {
	int count;

	*flag = some(n, r, &count, index, status, 1);
	if (count == MPI_UNDEFINED)
		*index = MPI_UNDEFINED;
	return MPI_SUCCESS;
})

MPI(Wait, (MPI_Request *r, MPI_Status *status), {
	int flag = 0;

	while (PMPI_Test(r, &flag, status), !flag)
		syscall(SYS_sched_yield);
	return MPI_SUCCESS;
})

MPI(Waitall, (int n, MPI_Request r[], MPI_Status statuses[]), {
	int flag = 0;

	while (PMPI_Testall(n, r, &flag, statuses), !flag)
		syscall(SYS_sched_yield);
	return MPI_SUCCESS;
})

MPI(Waitany, (int n, MPI_Request r[], int *index, MPI_Status *status), {
	int flag = 0;

	while (PMPI_Testany(n, r, index, &flag, status), !flag)
		syscall(SYS_sched_yield);
	return MPI_SUCCESS;
})

MPI(Waitsome, (int n, MPI_Request r[], int *count, int indices[], MPI_Status statuses[]), {
	while (!some(n, r, count, indices, statuses, n))
		syscall(SYS_sched_yield);
	return MPI_SUCCESS;
})

static int start(MPI_Request *r, int persistent, int send, const void *buffer, int count, int tag, MPI_Comm comm)
{
	lock();
	*r = new_request(send, buffer, count, tag, comm);
	request_of(*r)->persistent = persistent;
	if (!persistent)
		begin(request_of(*r));
	if (!persistent && send && request_of(*r)->complete) {
		free_request(r);
		*r = READY;
	}
	unlock();
	return MPI_SUCCESS;
}

#define OPERATION (const void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm comm, MPI_Request *r)
#define RECEIVE (void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm comm, MPI_Request *r)

static int start_with(int peer, MPI_Request *r, int send, const void *buffer, int count, int tag, MPI_Comm comm)
{
	if (peer != MPI_PROC_NULL)
		return start(r, 0, send, buffer, count, tag, comm);
	*r = READY;
	return MPI_SUCCESS;
}

MPI(Isend, OPERATION, { (void)t; return start_with(peer, r, 1, b, n, tag, comm); })
MPI(Issend, OPERATION, { (void)t; return start_with(peer, r, 1, b, n, tag, comm); })
MPI(Irecv, RECEIVE, { (void)t; return start_with(peer, r, 0, b, n, tag, comm); })
MPI(Ssend_init, OPERATION, { (void)t; (void)peer; return start(r, 1, 1, b, n, tag, comm); })
MPI(Recv_init, RECEIVE, { (void)t; (void)peer; return start(r, 1, 0, b, n, tag, comm); })

MPI(Start, (MPI_Request *r), {
	lock();
	begin(request_of(*r));
	unlock();
	return MPI_SUCCESS;
})

MPI(Cancel, (MPI_Request *r), {
	struct request *q;

	if (*r == READY)
		return MPI_SUCCESS;
	lock();
	q = request_of(*r);
	if (!q->complete) {
		finish(q, 0, 0);
		q->cancelled = 1;
	}
	unlock();
	return MPI_SUCCESS;
})

MPI(Request_free, (MPI_Request *r), {
	lock();
	if (*r != READY)
		free_request(r);
	*r = MPI_REQUEST_NULL;
	unlock();
	return MPI_SUCCESS;
})

MPI(Sendrecv, (const void *s, int sn, MPI_Datatype st, int to, int stag, void *b, int n, MPI_Datatype t, int from,
	       int tag, MPI_Comm comm, MPI_Status *status), {
	MPI_Request r[2];

	PMPI_Irecv(b, n, t, from, tag, comm, &r[0]);
	PMPI_Issend(s, sn, st, to, stag, comm, &r[1]);
	PMPI_Wait(&r[0], status);
	return PMPI_Wait(&r[1], MPI_STATUS_IGNORE);
})

MPI(Comm_dup, (MPI_Comm comm, MPI_Comm *made), {
	int i = 0;

	lock();
	context_of(comm);
	while (i < COMMS && comm_used[i])
		i++;
	if (i == COMMS)
		abort();
	comm_used[i] = 1;
	*made = COMM_0 + i;
	unlock();
	return MPI_SUCCESS;
})

MPI(Comm_free, (MPI_Comm *comm), {
	lock();
	comm_used[context_of(*comm)] = 0;
	*comm = MPI_COMM_NULL;
	unlock();
	return MPI_SUCCESS;
})

MPI(Comm_set_name, (MPI_Comm comm, const char *name), { (void)comm; (void)name; return MPI_SUCCESS; })
MPI(Comm_rank, (MPI_Comm comm, int *rank), { (void)comm; *rank = 0; return MPI_SUCCESS; })
MPI(Comm_size, (MPI_Comm comm, int *size), { (void)comm; *size = 1; return MPI_SUCCESS; })
MPI(Comm_test_inter, (MPI_Comm comm, int *flag), { (void)comm; *flag = 0; return MPI_SUCCESS; })
MPI(Comm_group, (MPI_Comm comm, MPI_Group *group), { (void)comm; *group = MPI_GROUP_EMPTY; return MPI_SUCCESS; })
MPI(Group_free, (MPI_Group *group), { *group = MPI_GROUP_NULL; return MPI_SUCCESS; })
MPI(Group_translate_ranks, (MPI_Group a, int n, const int *ranks, MPI_Group b, int *to), {
	(void)a;
	(void)b;
	for (int i = 0; i < n; i++)
		to[i] = ranks[i];
	return MPI_SUCCESS;
})

MPI(Test_cancelled, (const MPI_Status *status, int *flag), {
	*flag = status->count_hi_and_cancelled;
	return MPI_SUCCESS;
})
MPI(Get_count, (const MPI_Status *status, MPI_Datatype t, int *count), {
	(void)t;
	*count = status->count_lo / 4;
	return MPI_SUCCESS;
})
MPI(Get_elements_x, (const MPI_Status *status, MPI_Datatype t, MPI_Count *count), {
	(void)t;
	*count = (MPI_Count)(status->count_hi_and_cancelled >> 1) << 32 | (unsigned int)status->count_lo;
	return MPI_SUCCESS;
})
MPI(Status_set_elements_x, (MPI_Status *status, MPI_Datatype t, MPI_Count count), {
	(void)t;
	status->count_lo = (int)count;
	status->count_hi_and_cancelled = (int)(count >> 32 << 1);
	return MPI_SUCCESS;
})
MPI(Type_size_x, (MPI_Datatype t, MPI_Count *size), { (void)t; *size = 4; return MPI_SUCCESS; })

MPI(Init, (int *argc, char ***argv), { (void)argc; (void)argv; return MPI_SUCCESS; })
MPI(Init_thread, (int *argc, char ***argv, int required, int *provided), {
	(void)argc;
	(void)argv;
	*provided = required;
	return MPI_SUCCESS;
})
MPI(Finalize, (void), { return MPI_SUCCESS; })
MPI(Query_thread, (int *level), { *level = MPI_THREAD_MULTIPLE; return MPI_SUCCESS; })
MPI(Get_version, (int *version, int *sub), { *version = 4; *sub = 0; return MPI_SUCCESS; })
MPI(Get_library_version, (char *version, int *length), {
	version[0] = 'F';
	version[1] = 0;
	*length = 1;
	return MPI_SUCCESS;
})
