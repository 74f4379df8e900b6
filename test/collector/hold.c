/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hold nothing|listener COLLECTOR EXPERIMENT SOURCE [BUFFER]: executes the collector as libhybmon does, with a request by
 * a socket, and one that processes of the job come to; there is one that comes and stays, so that it does not end.
 * `listener`: another, that shares the socket, comes again and again and has it block.
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

#include "core/config/config.h"
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

static unsigned int source_of(const char *name)
{
	static const char *const names[] = { "off", "auto", "self", "perf", "bpf" };
	unsigned int n = 0;

	while (n < 5 && strcmp(names[n], name))
		n++;
	return n;
}

/* The end of a socket pair by which the request comes; -1: it cannot be sent. */
static int ask(int listener, const char *experiment, const char *source, const char *buffer)
{
	struct hyb_collect_request request = {
		.magic = HYB_COLLECT_MAGIC, .version = HYB_COLLECT_VERSION, .source = source_of(source), .events = 3,
		.buffer = buffer ? strtoull(buffer, NULL, 10) : 2 << 20, .chunk = 256 << 10,
	};
	static char rest[] = "job\0/\0\0\0"; /* job, directory, spool, TMPDIR, sample */
	struct iovec parts[] = {
		{ &request, sizeof(request) }, { (char *)(uintptr_t)experiment, strlen(experiment) + 1 }, { rest, sizeof(rest) },
	};
	const int descriptors[] = { listener, open(experiment, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(descriptors))];
	} control = { .header = { CMSG_LEN(sizeof(descriptors)), SOL_SOCKET, SCM_RIGHTS } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 3, .msg_control = &control, .msg_controllen = sizeof(control) };
	int ends[2];

	memcpy(CMSG_DATA(&control.header), descriptors, sizeof(descriptors));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) || sendmsg(ends[0], &message, 0) < 0)
		return -1;
	close(ends[0]);
	return ends[1];
}

int main(int argc, char **argv)
{
	struct sockaddr_un any = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	pid_t collector = getpid();
	char option[32];

	if (argc < 5 || bind(fd, (void *)&any, sizeof(any.sun_family)) || listen(fd, 4096) ||
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
	snprintf(option, sizeof(option), "--request=%d", ask(fd, argv[3], argv[4], argv[5]));
	execl(argv[2], argv[2], option, NULL);
	return 127;
}
