/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collector as a service for all users of a node. A process of root's does nothing but accept. For each job it
 * forks a process that becomes the job's user, opens events, gives up all other rights, and is a collector like any.
 */
#ifndef HYB_COLLECTOR_SERVICE_SERVICE_H
#define HYB_COLLECTOR_SERVICE_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct hyb_service_options {
	const char *path;	/* of the socket; NULL: this is no service */
	const char *group;	/* only its members may connect; NULL: everybody may */
	unsigned int jobs;	/* of each user at a time */
	uint64_t buffer;	/* bytes for each CPU that a job may have at most */
	bool all;		/* everybody may have the details of all tasks */
};

/* Serves until SIGTERM or SIGINT, and then until its collectors have ended. 0 or -errno, and says why. */
int hyb_service_run(const struct hyb_service_options *options);

/* A job's process: takes the request from the socket, and collects until the job has ended. Returns its exit status. */
int hyb_service_serve(int fd, const struct ucred *peer, const struct hyb_service_options *options);
/* Tells the process that asked why nothing is recorded; error 0: that it is. 0, or -errno: the process is gone. */
int hyb_service_answer(int fd, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
