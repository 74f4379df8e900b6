/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * intrude USER THREADS MICROSECONDS PROGRAM: comes to the collectors of that user as a process of the job, with so many
 * threads that it takes a while to look at them, and after so long executes PROGRAM, which may have other rights.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "format/collector.h"

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void say_hello(const char *name)
{
	const struct hyb_collect_hello hello = { HYB_COLLECT_MAGIC, HYB_COLLECT_VERSION };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	memcpy(address.sun_path + 1, name, strlen(name));
	if (!connect(fd, (void *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))))
		send(fd, &hello, sizeof(hello), MSG_NOSIGNAL);
}

int main(int argc, char **argv)
{
	char line[512], path[96], prefix[64], names[16][96];
	FILE *f = fopen("/proc/net/unix", "r");
	pthread_attr_t attr;
	unsigned int flags;
	int count = 0;

	if (argc < 5 || !f)
		return 2;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (long i = 0; i < strtol(argv[2], NULL, 10); i++) {
		pthread_t thread;

		if (pthread_create(&thread, &attr, wait_for_ever, NULL))
			break;
	}
	snprintf(prefix, sizeof(prefix), "hybmon-%s-", argv[1]);
	while (fgets(line, sizeof(line), f) && count < 16) {
		if (sscanf(line, "%*s %*s %*s %x %*s %*s %*s @%95s", &flags, path) == 2 && flags & 0x10000 &&
		    !strncmp(path, prefix, strlen(prefix)))
			strcpy(names[count++], path);
	}
	fclose(f);
	for (int i = 0; i < count; i++)
		say_hello(names[i]);
	usleep((useconds_t)strtoul(argv[3], NULL, 10));
	execl(argv[4], argv[4], (char *)NULL);
	return 127;
}
