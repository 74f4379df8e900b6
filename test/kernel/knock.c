/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * knock N: comes to each collector's socket that there is, N times, with messages that are none. Prints how many
 * sockets there are. knock late: comes once, and is held up before it says what it should. A user's number behind that:
 * to those of his collectors only.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "format/collector.h"

/* Long enough for a collector that looks at once to see nothing. */
static void be_late(const struct sockaddr_un *address, socklen_t length)
{
	const struct hyb_collect_hello hello = { HYB_COLLECT_MAGIC, HYB_COLLECT_VERSION };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	/* another job's may be about to end */
	if (!connect(fd, (const void *)address, length)) {
		usleep(300000);
		send(fd, &hello, sizeof(hello), MSG_NOSIGNAL);
		usleep(300000);
	}
	close(fd);
}

static void knock(const char *name, const char *how)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
	static char message[70000];
	long n = strtol(how, NULL, 10);

	memcpy(address.sun_path + 1, name, strlen(name));
	if (!strcmp(how, "late"))
		be_late(&address, length);
	for (long i = 0; i < n; i++) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
		size_t size = (size_t)random() % (i % 10 ? 16 : sizeof(message));

		for (size_t c = 0; c < size; c++)
			message[c] = (char)random();
		/* Some begin as they should. */
		if (i % 3 == 0)
			memcpy(message, "kbyh\1\0\0\0", 8);
		if (!connect(fd, (void *)&address, length)) {
			if (i % 7 && send(fd, message, i % 3 ? size : 9 + size % 100, MSG_NOSIGNAL) < 0)
				size = 0;
		}
		close(fd);
	}
}

int main(int argc, char **argv)
{
	FILE *f = fopen("/proc/net/unix", "r");
	char line[512], path[256], prefix[64] = "hybmon-";
	int count = 0;

	if (argc > 2)
		snprintf(prefix, sizeof(prefix), "hybmon-%s-", argv[2]);

	while (f && fgets(line, sizeof(line), f)) {
		unsigned int flags;

		if (sscanf(line, "%*s %*s %*s %x %*s %*s %*s @%255s", &flags, path) != 2 || strncmp(path, prefix, strlen(prefix)) ||
		    !(flags & 0x10000))
			continue;
		count++;
		knock(path, argc > 1 ? argv[1] : "1");
	}
	printf("%d\n", count);
	return 0;
}
