/* SPDX-License-Identifier: BSD-3-Clause */
/* What non-blocking operations leave, in the words of hybmon-print; see expect.h. */
#ifndef TEST_REQUESTS_H
#define TEST_REQUESTS_H

#include "expect.h"

#define WORLD "MPI_COMM_WORLD"

/* The numbers of a thread's requests are given out in the order in which they begin. */
static __thread int request_count;

static inline int request_new(void)
{
	return ++request_count;
}

static inline void expect_request(const char *what, int request)
{
	expect_line("  %s request=%d.%d", what, expect_self.thread, request);
}

static inline int expect_isend(int to, int tag, const char *comm, long long bytes)
{
	int request = request_new();

	expect_line("  send to=%d tag=%d comm=%s bytes=%lld request=%d.%d", to, tag, comm, bytes,
		    expect_self.thread, request);
	return request;
}

static inline void expect_irecv_done(int from, int tag, const char *comm, long long bytes, int request)
{
	expect_line("  recv from=%d tag=%d comm=%s bytes=%lld request=%d.%d", from, tag, comm, bytes,
		    expect_self.thread, request);
}

static inline int expect_irecv(void)
{
	int request = request_new();

	expect_request("irecv", request);
	return request;
}

static inline int expect_icoll(const char *what, const char *comm)
{
	int request = request_new();

	expect_line("  icoll %s comm=%s request=%d.%d", what, comm, expect_self.thread, request);
	return request;
}

static inline void expect_icoll_done(const char *what, const char *comm, int root, long long sent,
				     long long received, int request)
{
	char text[32] = "";

	if (root != NO_ROOT)
		snprintf(text, sizeof(text), " root=%d", root);
	expect_line("  coll %s comm=%s%s sent=%lld received=%lld request=%d.%d", what, comm, text, sent,
		    received, expect_self.thread, request);
}

#endif
