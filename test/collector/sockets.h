/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the sockets of the collectors that run: files in folders of their users, or abstract names. */
#ifndef TEST_SOCKETS_H
#define TEST_SOCKETS_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

struct collector_socket {
	struct sockaddr_un address;
	socklen_t length;
};

/* At most `most`; user: a number, or NULL: of all users. */
static int find_sockets(const char *user, struct collector_socket *sockets, int most)
{
	FILE *f = fopen("/proc/net/unix", "re");
	char line[512], path[108], file[64], abstract[64];
	unsigned int flags;
	int count = 0;

	snprintf(file, sizeof(file), "/dev/shm/hybmon-collect-%s%s", user ? user : "", user ? "/" : "");
	snprintf(abstract, sizeof(abstract), "@hybmon-%s%s", user ? user : "", user ? "-" : "");
	while (f && count < most && fgets(line, sizeof(line), f)) {
		struct collector_socket *s = &sockets[count];

		if (sscanf(line, "%*s %*s %*s %x %*s %*s %*s %107s", &flags, path) != 2 || !(flags & 0x10000) ||
		    (strncmp(path, file, strlen(file)) && strncmp(path, abstract, strlen(abstract))))
			continue;
		memset(s, 0, sizeof(*s));
		s->address.sun_family = AF_UNIX;
		s->length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + (path[0] == '/'));
		memcpy(s->address.sun_path, path, strlen(path));
		if (path[0] == '@')
			s->address.sun_path[0] = '\0';
		count++;
	}
	if (f)
		fclose(f);
	return count;
}

#endif
