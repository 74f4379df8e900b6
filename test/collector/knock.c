/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * knock N: comes to each collector's socket that there is, N times, with messages that are none. Prints how many
 * sockets there are, and how often it could connect. knock late: comes once, and is held up before it says what it should. A user's number behind that:
 * to those of his collectors only. knock flood USER PROCESSES: only connects, all the time, until it is killed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/collector.h"
#include "sockets.h"

/* Long enough for a collector that looks at once to see nothing. */
static void be_late(const struct collector_socket *s)
{
	const struct hyb_collect_hello hello = { HYB_COLLECT_MAGIC, HYB_COLLECT_VERSION };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	/* another job's may be about to end */
	if (!connect(fd, (const void *)&s->address, s->length)) {
		usleep(300000);
		send(fd, &hello, sizeof(hello), MSG_NOSIGNAL);
		usleep(300000);
	}
	close(fd);
}

static int knock(const struct collector_socket *s, const char *how)
{
	static char message[70000];
	long n = strtol(how, NULL, 10);
	int reached = 0;

	if (!strcmp(how, "late"))
		be_late(s);
	for (long i = 0; i < n; i++) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
		size_t size = (size_t)random() % (i % 10 ? 16 : sizeof(message));

		for (size_t c = 0; c < size; c++)
			message[c] = (char)random();
		/* Some begin as they should. */
		if (i % 3 == 0)
			memcpy(message, "kbyh\1\0\0\0", 8);
		if (!connect(fd, (const void *)&s->address, s->length)) {
			reached++;
			if (i % 7 && send(fd, message, i % 3 ? size : 9 + size % 100, MSG_NOSIGNAL) < 0)
				size = 0;
		}
		close(fd);
	}
	return reached;
}

/* Connects and says nothing, from so many processes at once, to whatever collectors there are, until this one is killed. */
static void flood(const char *user, int processes)
{
	struct collector_socket sockets[16];
	const pid_t parent = getpid();

	while (--processes > 0 && fork())
		;
	while (getppid() == parent || getpid() == parent) {
		int count = find_sockets(user, sockets, 16);

		for (int i = 0; i < 1000 * count; i++) {
			int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);

			connect(fd, (const void *)&sockets[i % count].address, sockets[i % count].length);
			close(fd);
		}
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "1";
	const char *user = argc > 2 ? argv[2] : NULL;
	struct collector_socket sockets[64];
	int count, reached = 0;

	if (!strcmp(how, "flood"))
		flood(user, argc > 3 ? (int)strtol(argv[3], NULL, 10) : 8);
	count = find_sockets(user, sockets, 64);
	for (int i = 0; i < count; i++)
		reached += knock(&sockets[i], how);
	printf("%d sockets, %d connections\n", count, reached);
	return 0;
}
