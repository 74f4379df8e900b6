/* SPDX-License-Identifier: BSD-3-Clause */
/* A descriptor of the process at the other end of a socket. Its number may become another process's at any time. */
#ifndef HYB_COLLECTOR_COMMON_PIDFD_H
#define HYB_COLLECTOR_COMMON_PIDFD_H

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD	/* Linux 6.5 */
#define SO_PEERPIDFD 77
#endif

/*
 * A pidfd, or -errno. On kernels without SO_PEERPIDFD it may be of a later process with the same number. From here on
 * the caller can see whether that one has ended.
 */
static inline int hyb_pidfd_of_peer(int connection, pid_t pid)
{
	socklen_t size = sizeof(int);
	int fd;

	if (!getsockopt(connection, SOL_SOCKET, SO_PEERPIDFD, &fd, &size))
		return fd;
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	return fd < 0 ? -errno : fd;
}

#endif
