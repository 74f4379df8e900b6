/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * storm [T [N [fold]]]: MPI_THREAD_MULTIPLE. T threads (8) start operations on T communicators in N rounds (50) and
 * put them into one pool, from which each takes what any of them has started, and completes, tests or cancels
 * it; communicators come and go meanwhile. Each thread writes down what its calls did. Where calls that find nothing
 * are folded into rows they are not written down.
 *
 * A round's operations are begun before its thread waits, and it waits for operations of rounds it has reached only,
 * so that the hindmost of all threads always goes on. Persistent ones are begun as soon as they can be, so they
 * count for the round after, and nobody keeps one back while waiting for something else.
 */
#include <pthread.h>
#include <sched.h>

#include "requests.h"

#define THREADS 64
#define TAKE 6		/* operations completed by one call */
#define CANCEL_TAG 30000
#define PERSISTENT_TAG 20000

enum kind { SENT, RECEIVED, CANCELLED };

/* An operation under way. */
struct item {
	MPI_Request request;
	enum kind kind;
	int thread;	/* that began it, and the number it has there */
	int number;
	int comm;
	int tag;
	int round;
	int cancelled;	/* that was asked for; once, Open MPI does not take it twice */
	int *done;	/* of a persistent one: set when it is complete */
	int *buffer;
};

struct worker {
	pthread_t thread;
	int number;	/* 1..T, as its stream's */
	unsigned int seed;
	int round;
	MPI_Comm own;
	MPI_Request persistent[2];
	int persistent_done[2];
	int persistent_buffer[2][2];
	long begun[3];	/* by enum kind */
	long ended[3];
};

static struct worker workers[THREADS];
static MPI_Comm comms[THREADS];
static int threads = 8;
static int rounds = 50;
static int fold;
static int me;
static int peer;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static int turn = 1;
static struct item *pool;
static int pooled;
static int busy;	/* threads that may still begin something */

static unsigned int chance(struct worker *w, unsigned int n)
{
	w->seed = w->seed * 1103515245u + 12345u;
	return (w->seed >> 16) % n;
}

static const char *comm_name(int comm)
{
	static __thread char name[32];

	snprintf(name, sizeof(name), "storm-%d", comm);
	return name;
}

static void put(const struct item *item)
{
	pthread_mutex_lock(&lock);
	if (item->done && item->request == MPI_REQUEST_NULL)
		abort();
	pool[pooled++] = *item;
	pthread_mutex_unlock(&lock);
}

/* Takes up to n operations that the thread may wait for. */
static int take(struct worker *w, struct item *items, int n)
{
	int got = 0;

	pthread_mutex_lock(&lock);
	for (int i = pooled ? (int)chance(w, (unsigned int)pooled) : 0; i < pooled && got < n;) {
		if (pool[i].round > w->round) {
			i++;
			continue;
		}
		items[got++] = pool[i];
		pool[i] = pool[--pooled];
	}
	pthread_mutex_unlock(&lock);
	return got;
}

static void begin_receive(struct worker *w, int comm, int tag, enum kind kind)
{
	struct item item = { .kind = kind, .thread = w->number, .comm = comm, .tag = tag, .round = w->round };

	item.buffer = calloc(1, 2 * sizeof(int));
	CHECK(item.buffer);
	EVENTS(MPI_Irecv(item.buffer, 2, MPI_INT, chance(w, 2) ? peer : MPI_ANY_SOURCE, tag, comms[comm],
			 &item.request), (void)0, item.number = expect_irecv());
	w->begun[kind]++;
	put(&item);
}

static void begin_send(struct worker *w, int comm, int tag)
{
	struct item item = { .kind = SENT, .thread = w->number, .comm = comm, .tag = tag, .round = w->round };
	int n = 1 + tag % 2;

	item.buffer = calloc(1, 2 * sizeof(int));
	CHECK(item.buffer);
	item.buffer[0] = tag;
	/* of sends that are complete at once several may have one handle, and which ends first is nobody's */
	EVENTS(MPI_Issend(item.buffer, n, MPI_INT, peer, tag, comms[comm], &item.request),
	       item.number = expect_isend(peer, tag, comm_name(comm), 4 * n), (void)0);
	w->begun[SENT]++;
	put(&item);
}

static int complete(struct worker *w);

static bool persistent_idle(struct worker *w)
{
	bool idle;

	pthread_mutex_lock(&lock);
	idle = w->persistent_done[0] && w->persistent_done[1];
	if (idle)
		w->persistent_done[0] = w->persistent_done[1] = 0;
	pthread_mutex_unlock(&lock);
	return idle;
}

/* The pair of persistent requests, as soon as whoever completes them is done with the last time. */
static void begin_persistent(struct worker *w)
{
	struct item item = {
		.thread = w->number, .comm = w->number - 1, .tag = PERSISTENT_TAG + w->number,
		.round = w->round + 1,
	};

	while (!persistent_idle(w))
		if (!complete(w))
			sched_yield();
	item.kind = RECEIVED;
	item.request = w->persistent[0];
	item.done = &w->persistent_done[0];
	EVENTS(MPI_Start(&item.request), (void)0, item.number = expect_irecv());
	w->begun[RECEIVED]++;
	put(&item);
	item.kind = SENT;
	item.request = w->persistent[1];
	item.done = &w->persistent_done[1];
	EVENTS(MPI_Start(&item.request),
	       item.number = expect_isend(peer, item.tag, comm_name(item.comm), 4), (void)0);
	w->begun[SENT]++;
	put(&item);
}

static void make_comm(struct worker *w)
{
	char name[64];
	MPI_Comm made;
	int value = me;
	int got = -1;
	int wanted = me;

	snprintf(name, sizeof(name), "thread-%d-round-%d", w->number, w->round);
	CALL(MPI_Comm_dup(w->own, &made));
	CALL(MPI_Comm_set_name(made, name));
	EVENTS(MPI_Sendrecv(&value, 1, MPI_INT, peer, 3, &got, 1, MPI_INT, peer, 3, made, MPI_STATUS_IGNORE),
	       expect_send(peer, 3, name, 4), expect_recv(peer, 3, name, 4));
	if (peer != me)
		wanted = peer;
	CHECK(got == wanted);
	CALL(MPI_Comm_free(&made));
}

static void expect_of(const char *what, const struct item *item)
{
	expect_line("  %s request=%d.%d", what, item->thread, item->number);
}

static void ended(struct worker *w, struct item *item, MPI_Request now)
{
	w->ended[item->kind]++;
	if (!item->done) {
		CHECK(now == MPI_REQUEST_NULL);
		free(item->buffer);
		return;
	}
	CHECK(now == item->request);
	pthread_mutex_lock(&lock);
	*item->done = 1;
	pthread_mutex_unlock(&lock);
}

/* What the completion of an operation leaves, and what its status must say. */
static void expect_ended(const struct item *item, const MPI_Status *status)
{
	int bytes = item->done ? 4 : 4 * (1 + item->tag % 2);
	int flag = 0;
	int count = 0;

	if (item->kind == SENT) {
		expect_of("sent", item);
	} else if (item->kind == CANCELLED) {
		PMPI_Test_cancelled(status, &flag);
		CHECK(flag);
		expect_of("cancelled", item);
	} else {
		PMPI_Get_count(status, MPI_INT, &count);
		CHECK(status->MPI_SOURCE == peer && status->MPI_TAG == item->tag && count * 4 == bytes);
		expect_line("  recv from=%d tag=%d comm=%s bytes=%d request=%d.%d", peer, item->tag,
			    comm_name(item->comm), bytes, item->thread, item->number);
	}
}

/* Calls that find nothing are recorded each, or not looked at. */
static void expect_tested(const struct item *items, int n)
{
	for (int i = 0; i < n; i++)
		expect_of("tested", &items[i]);
}

static void expect_poll(const char *call, const struct item *items, int n, bool with_leave)
{
	if (fold)
		return;
	expect_call("enter", call);
	if (!with_leave)
		expect_tested(items, n);
	expect_call("leave", call);
	if (with_leave)
		expect_tested(items, n);
}

static bool may_wait(struct worker *w, const struct item *items, int n)
{
	for (int i = 0; n > 1 && i < n; i++)
		if (items[i].done)
			return false;
	return chance(w, 2) == 0;
}

static void try_one(struct worker *w, struct item *item)
{
	MPI_Request request = item->request;
	MPI_Status status;
	int flag = 1;
	bool wait = may_wait(w, item, 1);

	if (wait)
		CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
	else
		CHECK(MPI_Test(&request, &flag, &status) == MPI_SUCCESS);
	if (!flag) {
		expect_poll("MPI_Test", item, 1, true);
		put(item);
		return;
	}
	expect_call("enter", wait ? "MPI_Wait" : "MPI_Test");
	expect_call("leave", wait ? "MPI_Wait" : "MPI_Test");
	expect_ended(item, &status);
	ended(w, item, request);
}

static void try_any(struct worker *w, struct item *items, int n)
{
	MPI_Request requests[TAKE];
	MPI_Status status;
	bool wait = may_wait(w, items, n);
	int flag = 1;
	int index;

	for (int i = 0; i < n; i++)
		requests[i] = items[i].request;
	if (wait)
		CHECK(MPI_Waitany(n, requests, &index, &status) == MPI_SUCCESS);
	else
		CHECK(MPI_Testany(n, requests, &index, &flag, &status) == MPI_SUCCESS);
	if (flag) {
		expect_call("enter", wait ? "MPI_Waitany" : "MPI_Testany");
		expect_call("leave", wait ? "MPI_Waitany" : "MPI_Testany");
		expect_ended(&items[index], &status);
	} else {
		expect_poll("MPI_Testany", items, n, false);
	}
	for (int i = 0; i < n; i++) {
		if (flag && i == index)
			ended(w, &items[i], requests[i]);
		else
			put(&items[i]);
	}
}

static void try_some(struct worker *w, struct item *items, int n)
{
	MPI_Request requests[TAKE];
	MPI_Status statuses[TAKE];
	bool wait = may_wait(w, items, n);
	int indices[TAKE];
	int is_ended[TAKE] = { 0 };
	int count;

	for (int i = 0; i < n; i++)
		requests[i] = items[i].request;
	if (wait)
		CHECK(MPI_Waitsome(n, requests, &count, indices, statuses) == MPI_SUCCESS);
	else
		CHECK(MPI_Testsome(n, requests, &count, indices, statuses) == MPI_SUCCESS);
	if (count > 0) {
		expect_call("enter", wait ? "MPI_Waitsome" : "MPI_Testsome");
		for (int i = 0; i < count; i++) {
			is_ended[indices[i]] = 1;
			expect_ended(&items[indices[i]], &statuses[i]);
		}
		expect_call("leave", wait ? "MPI_Waitsome" : "MPI_Testsome");
	} else {
		expect_poll("MPI_Testsome", items, n, false);
	}
	for (int i = 0; i < n; i++) {
		if (is_ended[i])
			ended(w, &items[i], requests[i]);
		else
			put(&items[i]);
	}
}

static void try_all(struct worker *w, struct item *items, int n)
{
	MPI_Request requests[TAKE];
	MPI_Status statuses[TAKE];
	bool wait = may_wait(w, items, n);
	int flag = 1;

	for (int i = 0; i < n; i++)
		requests[i] = items[i].request;
	if (wait)
		CHECK(MPI_Waitall(n, requests, statuses) == MPI_SUCCESS);
	else
		CHECK(MPI_Testall(n, requests, &flag, statuses) == MPI_SUCCESS);
	if (!flag) {
		expect_poll("MPI_Testall", items, n, false);
		for (int i = 0; i < n; i++)
			put(&items[i]);
		return;
	}
	expect_call("enter", wait ? "MPI_Waitall" : "MPI_Testall");
	for (int i = 0; i < n; i++)
		expect_ended(&items[i], &statuses[i]);
	expect_call("leave", wait ? "MPI_Waitall" : "MPI_Testall");
	for (int i = 0; i < n; i++)
		ended(w, &items[i], requests[i]);
}

/* Completes some of what is under way; returns how many it looked at. */
static int complete(struct worker *w)
{
	struct item items[TAKE];
	int n = take(w, items, 1 + (int)chance(w, TAKE));

	for (int i = 0; i < n; i++) {
		if (items[i].kind == CANCELLED && !items[i].cancelled)
			CALL(MPI_Cancel(&items[i].request));
		items[i].cancelled = 1;
	}
	if (n == 1)
		try_one(w, items);
	else if (n && chance(w, 3) == 0)
		try_any(w, items, n);
	else if (n && chance(w, 2) == 0)
		try_some(w, items, n);
	else if (n)
		try_all(w, items, n);
	return n;
}

/* In turn, so that the number of each thread's stream is known. */
static void first_call(struct worker *w)
{
	int rank;

	pthread_mutex_lock(&lock);
	while (turn != w->number)
		pthread_cond_wait(&turn_changed, &lock);
	expect_open(w->number);
	CALL(MPI_Comm_rank(w->own, &rank));
	turn++;
	pthread_cond_broadcast(&turn_changed);
	pthread_mutex_unlock(&lock);
}

static void make_persistent(struct worker *w)
{
	MPI_Comm comm = comms[w->number - 1];
	int tag = PERSISTENT_TAG + w->number;

	CALL(MPI_Recv_init(w->persistent_buffer[0], 2, MPI_INT, peer, tag, comm, &w->persistent[0]));
	CALL(MPI_Ssend_init(w->persistent_buffer[1], 1, MPI_INT, peer, tag, comm, &w->persistent[1]));
	w->persistent_done[0] = w->persistent_done[1] = 1;
}

static void one_round(struct worker *w)
{
	int tag = w->number * 1000 % 16000 + w->round % 1000;
	int comm = (w->number * 7 + w->round * 3) % threads;

	begin_receive(w, comm, tag, RECEIVED);
	begin_send(w, comm, tag);
	if (w->round % 4 == 0)
		begin_receive(w, comm, CANCEL_TAG, CANCELLED);
	if (w->round % 3 == 0)
		begin_persistent(w);
	if (w->round % 8 == 0)
		make_comm(w);
	complete(w);
	complete(w);
}

static bool all_begun(void)
{
	bool done;

	pthread_mutex_lock(&lock);
	done = busy == 0 && pooled == 0;
	pthread_mutex_unlock(&lock);
	return done;
}

static void *work(void *arg)
{
	struct worker *w = arg;

	first_call(w);
	make_persistent(w);
	for (w->round = 0; w->round < rounds; w->round++)
		one_round(w);
	pthread_mutex_lock(&lock);
	busy--;
	pthread_mutex_unlock(&lock);
	while (!all_begun())
		if (!complete(w))
			sched_yield();
	return NULL;
}

static void start_all(void)
{
	pool = calloc((size_t)threads * (size_t)rounds * 5 + 1, sizeof(*pool));
	CHECK(pool);
	for (int i = 0; i < threads; i++) {
		CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
		CALL(MPI_Comm_set_name(comms[i], comm_name(i)));
		CALL(MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].own));
		workers[i].number = i + 1;
		workers[i].seed = (unsigned int)(i * 977 + me * 131 + 1);
	}
	busy = threads;
	for (int i = 0; i < threads; i++)
		CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
}

/* What was done, which does not depend on who did it. */
static void end_all(void)
{
	long begun[3] = { 0 };
	long end[3] = { 0 };

	for (int i = 0; i < threads; i++)
		CHECK(pthread_join(workers[i].thread, NULL) == 0);
	for (int i = 0; i < threads; i++) {
		for (int k = 0; k < 3; k++) {
			begun[k] += workers[i].begun[k];
			end[k] += workers[i].ended[k];
		}
		for (int k = 0; k < 2; k++)
			CALL(MPI_Request_free(&workers[i].persistent[k]));
		CALL(MPI_Comm_free(&comms[i]));
		CALL(MPI_Comm_free(&workers[i].own));
	}
	for (int k = 0; k < 3; k++)
		CHECK(begun[k] == end[k]);
	CHECK(begun[RECEIVED] == begun[SENT]);
	free(pool);
	printf("%d: %d threads, %d rounds, %ld cancelled\n", me, threads, rounds, begun[CANCELLED]);
}

int main(int argc, char **argv)
{
	int provided;
	int size;

	threads = argc > 1 ? atoi(argv[1]) : threads;
	rounds = argc > 2 ? atoi(argv[2]) : rounds;
	fold = argc > 3;
	CHECK(threads > 0 && threads <= THREADS);
	CALL(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
	CHECK(provided == MPI_THREAD_MULTIPLE);
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
	peer = size - 1 - me;
	start_all();
	end_all();
	CALL(MPI_Finalize());
	return 0;
}
