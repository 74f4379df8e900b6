/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hold nothing|listener COLLECTOR ARGUMENT...: executes the collector as libhybmon does, with a socket that processes
 * of the job come to; there is one that comes and stays, so that it does not end. `listener`: another, that shares the
 * socket, comes again and again and has it block.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "format/collector.h"

static struct sockaddr_un address;
static socklen_t length = sizeof(address);

static void say_hello(void)
{
	const struct hyb_collect_hello hello = { HYB_COLLECT_MAGIC, HYB_COLLECT_VERSION };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (!connect(fd, (void *)&address, length))
		send(fd, &hello, sizeof(hello), MSG_NOSIGNAL);
	close(fd);
}

int main(int argc, char **argv)
{
	struct sockaddr_un any = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
	char option[32], *arguments[32] = { NULL };
	pid_t collector = getpid();

	if (argc < 3 || argc > 30 || bind(fd, (void *)&any, sizeof(any.sun_family)) || listen(fd, 4096) ||
	    getsockname(fd, (void *)&address, &length))
		return 2;
	if (!fork()) {
		say_hello();
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (strcmp(argv[1], "listener"))
			close(fd);
		while (getppid() == collector && !strcmp(argv[1], "listener")) {
			fcntl(fd, F_SETFL, 0);
			say_hello();
			usleep(500);
		}
		while (getppid() == collector)
			usleep(20000);
		_exit(0);
	}
	snprintf(option, sizeof(option), "--socket=%d", fd);
	arguments[0] = argv[2];
	arguments[1] = option;
	for (int i = 3; i < argc; i++)
		arguments[i - 1] = argv[i];
	execv(argv[2], arguments);
	return 127;
}
