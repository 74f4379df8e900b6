/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The listening socket; see listener.h. The process that started the collector has bound it: to a file in a folder that
 * only its user may enter (src/core/collector/name.c), or to an abstract name, to which anybody can connect.
 */
#include "collector/job/listener.h"

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct {
	int fd;
	unsigned int refused;
	char file[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1]; /* empty: there is none, or no longer */
	char folder[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1];
} self = { .fd = -1 };

void hyb_listener_start(int fd)
{
	struct sockaddr_un address;
	socklen_t length = sizeof(address);
	struct stat st;

	self.fd = fd;
	memset(&address, 0, sizeof(address));
	if (getsockname(fd, (struct sockaddr *)&address, &length) || address.sun_path[0] != '/')
		return;
	memcpy(self.folder, address.sun_path, sizeof(address.sun_path));
	/* A program that begins the collector itself may have another name for it, which is its own business. */
	if (strncmp(self.folder, "/dev/shm/hybmon-collect-", 24) || lstat(self.folder, &st) || !S_ISSOCK(st.st_mode))
		return;
	memcpy(self.file, self.folder, sizeof(self.file));
	*strrchr(self.folder, '/') = 0;
}

int hyb_listener_fd(void)
{
	return self.fd;
}

static bool is_own_user(int connection)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return !getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) && peer.pid > 0 && peer.uid == getuid();
}

void hyb_listener_accept(unsigned int most, bool (*serve)(int connection))
{
	int fd;

	for (unsigned int n = 0; n < most && self.fd >= 0; n++) {
		fd = accept4(self.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			return;
		if (!is_own_user(fd))
			self.refused++;
		else if (serve(fd))
			continue;
		close(fd);
	}
}

unsigned int hyb_listener_refused(void)
{
	return self.refused;
}

void hyb_listener_withdraw(void)
{
	/* First the file: who finds it and is refused takes its place. */
	if (self.file[0]) {
		unlink(self.file);
		rmdir(self.folder);
		self.file[0] = 0;
	}
	if (self.fd >= 0)
		shutdown(self.fd, SHUT_RD);
}

void hyb_listener_close(void)
{
	if (self.fd >= 0)
		close(self.fd);
	self.fd = -1;
}
