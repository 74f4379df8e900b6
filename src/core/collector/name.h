/* SPDX-License-Identifier: BSD-3-Clause */
/* The names by which the processes of a job find the collector's socket on their node. */
#ifndef HYB_CORE_COLLECTOR_NAME_H
#define HYB_CORE_COLLECTOR_NAME_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#define HYB_COLLECT_NAMES	8	/* of each kind: other users may have taken the first ones */

struct hyb_collect_name {
	struct sockaddr_un address;
	socklen_t length;
};

/*
 * Name number n (from 1) for this experiment and job. exclusive: a file in a folder that only this user may enter, so
 * that nobody else can connect; otherwise an abstract name.
 */
void hyb_collect_name(const char *experiment, const char *job, unsigned int n, bool exclusive,
		      struct hyb_collect_name *name);
/*
 * Binds the name. 1: this process is the first, and *listener is the socket; 0: another process has the name; -EACCES:
 * another user has it; -errno.
 */
long hyb_collect_listen(const struct hyb_collect_name *name, long *listener);
/* Removes the file of a name that this process bound, and the folder if nothing else is in it. */
void hyb_collect_unlisten(const struct hyb_collect_name *name);
/* A new socket of the type that the collector listens on, or -errno. */
long hyb_collect_socket(void);

#endif
