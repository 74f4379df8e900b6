/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collector as a service for all users of a node: a process of root's that does nothing but accept, and for each
 * job a process that becomes its user, opens events, gives up what else it may, and is a collector as any.
 */
#ifndef HYB_KERNEL_SERVICE_H
#define HYB_KERNEL_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct hyb_service_options {
	const char *path;	/* of the socket; NULL: this is no service */
	const char *group;	/* whose members alone may come; NULL: everybody */
	unsigned int jobs;	/* of each user, at a time */
	uint64_t buffer;	/* bytes for each CPU, which a job has at most */
	bool all;		/* tasks' details may be had by everybody */
};

/* Serves until SIGTERM or SIGINT, and then until its jobs' collectors have ended. 0 or -errno; says why. */
int hyb_service_run(const struct hyb_service_options *options);

/* A job's process: takes the request from the socket, and runs until the job has ended. Its exit status. */
int hyb_service_serve(int fd, const struct ucred *peer, const struct hyb_service_options *options);
/* A socket of the kind that libhybmon makes for a job's processes. */
bool hyb_service_is_listener(int fd);
/* Says to who came why nothing is recorded, or with error 0 that it is. 0, or -errno: he is gone. */
int hyb_service_answer(int fd, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
