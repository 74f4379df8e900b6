/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A test program writes down what it does, in the words of `hybmon-print --no-times`, so that checking a
 * recording is a diff. Each thread of each rank has its own file, $TEST_EXPECT/<rank>.<thread>, written
 * without buffering: it is right up to the last call even if the program is killed. Nothing is written,
 * and the calls are made all the same, where TEST_EXPECT is not set.
 *
 *	CALL(MPI_Barrier(c))			Enter and Leave only
 *	SEND(MPI_Send(...), to, tag, comm, bytes)
 *	RECV(MPI_Recv(...), from, tag, comm, bytes)
 *	COLL(MPI_Bcast(...), root, comm, sent, received)
 *	EVENTS(MPI_Put(...), (void)0, expect_rma("put win=%s ...", ...))
 *	IO(MPI_File_sync(...), "flush file=%s ...", ...)
 *						what follows `  io ` in the line that comes with the Leave
 *	FAIL(MPI_Recv(...))			the call returns an error and leaves no other record
 *	EVENTS(call, before, after)		anything else, see below
 *
 * comm is the name the communicator has in the end. Each gives what the call returned.
 */
#ifndef TEST_EXPECT_H
#define TEST_EXPECT_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#if defined(__GNUC__) && !defined(__clang__)
/* MPI_STATUSES_IGNORE and the like are no arrays, as the headers' attributes make the compiler believe */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif
/* old functions are recorded as well */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define NO_ROOT INT_MIN

struct expect {
	int fd;		/* -1: not open yet, -2: nothing is to be written */
	int rank;
	int thread;
};

static __thread struct expect expect_self = { .fd = -1 };

/* The launcher's environment says the rank already before MPI_Init. */
static inline int expect_rank(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value)
			return atoi(value);
	}
	return 0;
}

/* Opens the calling thread's file; thread is the number its stream will have. */
static inline void expect_open(int thread)
{
	const char *dir = getenv("TEST_EXPECT");
	char path[PATH_MAX];

	expect_self.rank = expect_rank();
	expect_self.thread = thread;
	expect_self.fd = -2;
	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/%d.%d", dir, expect_self.rank, thread);
	expect_self.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	if (expect_self.fd < 0) {
		perror(path);
		abort();
	}
}

__attribute__((format(printf, 1, 2)))
static inline void expect_line(const char *format, ...)
{
	int saved = errno;
	char line[1024];
	va_list args;
	int n;

	if (expect_self.fd == -1)
		expect_open(0);
	if (expect_self.fd < 0)
		goto out;
	n = snprintf(line, sizeof(line), "%d.%d ", expect_self.rank, expect_self.thread);
	va_start(args, format);
	n += vsnprintf(line + n, sizeof(line) - n - 1, format, args);
	va_end(args);
	line[n++] = '\n';
	if (write(expect_self.fd, line, n) != n)
		abort();
out:
	errno = saved;
}

static inline void expect_call(const char *verb, const char *call)
{
	expect_line("%s %.*s", verb, (int)strcspn(call, "("), call);
}

/* What stands around a name in the output. */
static inline const char *expect_quote(const char *name)
{
	return strchr(name, ' ') ? "\"" : "";
}

static inline void expect_send(int to, int tag, const char *comm, long long bytes)
{
	const char *q = expect_quote(comm);

	expect_line("  send to=%d tag=%d comm=%s%s%s bytes=%lld", to, tag, q, comm, q, bytes);
}

static inline void expect_recv(int from, int tag, const char *comm, long long bytes)
{
	const char *q = expect_quote(comm);

	expect_line("  recv from=%d tag=%d comm=%s%s%s bytes=%lld", from, tag, q, comm, q, bytes);
}

/* root: as passed, or NO_ROOT where the operation has none. */
static inline void expect_coll(int root, const char *comm, long long sent, long long received)
{
	const char *q = expect_quote(comm);
	char text[32] = "";

	if (root != NO_ROOT)
		snprintf(text, sizeof(text), " root=%d", root);
	expect_line("  coll comm=%s%s%s%s sent=%lld received=%lld", q, comm, q, text, sent, received);
}

/* Across an intercommunicator the root may be oneself, -2, or another one of one's group, -3. */
static inline void expect_inter(int root, const char *comm, long long sent, long long received)
{
	if (root == MPI_ROOT)
		root = -2;
	else if (root == MPI_PROC_NULL)
		root = -3;
	expect_coll(root, comm, sent, received);
}

/* The words behind `rma`. */
__attribute__((format(printf, 1, 2)))
static inline void expect_rma(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	expect_line("  rma %s", text);
}

/* before and after are statements that write what the call leaves with its Enter and its Leave */
#define EVENTS(call, before, after) __extension__({			\
	expect_call("enter", #call);					\
	before;								\
	__typeof__(call) ret_ = (call);					\
	expect_call("leave", #call);					\
	after;								\
	ret_;								\
})

/* done writes what is recorded between the Enter and the Leave, and can tell by what the call returned */
#define MANY(call, done) __extension__({				\
	expect_call("enter", #call);					\
	__typeof__(call) ret_ = (call);					\
	done;								\
	expect_call("leave", #call);					\
	ret_;								\
})

#define CALL(call) EVENTS(call, (void)0, (void)0)
#define SEND(call, to, tag, comm, bytes) \
	EVENTS(call, expect_send(to, tag, comm, bytes), (void)0)
#define RECV(call, from, tag, comm, bytes) \
	EVENTS(call, (void)0, expect_recv(from, tag, comm, bytes))
#define COLL(call, root, comm, sent, received) \
	EVENTS(call, (void)0, expect_coll(root, comm, sent, received))
#define IO(call, ...) EVENTS(call, (void)0, expect_line("  io " __VA_ARGS__))
#define FAIL(call) EVENTS(call, (void)0, expect_line("  error code=%d", ret_))

/* A program's own check: what must hold with and without the library. */
#define CHECK(condition) do {						\
	if (!(condition)) {						\
		fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
		abort();						\
	}								\
} while (0)

#endif
