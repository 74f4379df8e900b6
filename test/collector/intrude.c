/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * intrude USER THREADS MICROSECONDS PROGRAM: comes to the collectors of that user as a process of the job, with so many
 * threads that it takes a while to look at them, and after so long executes PROGRAM, which may have other rights.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/collector.h"
#include "sockets.h"

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void say_hello(const struct collector_socket *s)
{
	const struct hyb_collect_hello hello = { HYB_COLLECT_MAGIC, HYB_COLLECT_VERSION };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (!connect(fd, (const void *)&s->address, s->length))
		send(fd, &hello, sizeof(hello), MSG_NOSIGNAL);
}

int main(int argc, char **argv)
{
	struct collector_socket sockets[16];
	pthread_attr_t attr;
	int count;

	if (argc < 5)
		return 2;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (long i = 0; i < strtol(argv[2], NULL, 10); i++) {
		pthread_t thread;

		if (pthread_create(&thread, &attr, wait_for_ever, NULL))
			break;
	}
	count = find_sockets(argv[1], sockets, 16);
	for (int i = 0; i < count; i++)
		say_hello(&sockets[i]);
	usleep((useconds_t)strtoul(argv[3], NULL, 10));
	execl(argv[4], argv[4], (char *)NULL);
	return 127;
}
