/* SPDX-License-Identifier: BSD-3-Clause */
/* The process at the other end of a socket, by a descriptor: its number may be another's any time. */
#ifndef HYB_KERNEL_PIDFD_H
#define HYB_KERNEL_PIDFD_H

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD	/* Linux 6.5 */
#define SO_PEERPIDFD 77
#endif

/* Since when it is there is not known, but who ended since is told apart from who has his number now. Or -errno. */
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
