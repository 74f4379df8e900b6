/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector's socket: how many connections it takes at once, from whom, and what is left of it. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/job/listener.h"
#include "../lib/tap.h"

static struct sockaddr_un address = { .sun_family = AF_UNIX };
static socklen_t length;
static int served;

static bool serve(int connection)
{
	(void)connection;
	served++;
	return false;
}

static int accept_most(unsigned int most)
{
	served = 0;
	hyb_listener_accept(most, serve);
	return served;
}

static int new_listener(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (bind(fd, (void *)&address, length) || listen(fd, 4096))
		return -1;
	length = sizeof(address);
	if (getsockname(fd, (void *)&address, &length))
		return -1;
	return fd;
}

static void come(int times)
{
	for (int i = 0; i < times; i++) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

		if (connect(fd, (void *)&address, length))
			perror("# connect");
		close(fd);
	}
}

static void come_as_another_user(int times)
{
	pid_t child = fork();

	if (!child) {
		if (setuid(65534))
			_exit(1);
		come(times);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void abstract(void)
{
	length = sizeof(address.sun_family); /* the kernel finds a name */
	hyb_listener_start(new_listener());
	come(100);
	tap_equal(accept_most(64), 64, "no more connections are taken at once than asked for");
	tap_equal(accept_most(64), 36, "then the others");
	if (getuid()) {
		tap(true, "another user's are closed unseen # SKIP only root can be one");
	} else {
		come_as_another_user(100);
		tap(!accept_most(64) && !accept_most(64) && hyb_listener_refused() == 100, "another user's are closed unseen");
	}
	come(10);
	hyb_listener_withdraw();
	tap_equal(accept_most(64), 10, "who came before it was withdrawn is taken");
	tap(connect(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0), (void *)&address, length) < 0,
	    "nobody comes after that");
	hyb_listener_close();
}

static void file(void)
{
	char folder[] = "/dev/shm/hybmon-collect-unit-XXXXXX";
	struct stat st;

	if (!mkdtemp(folder)) {
		tap(true, "a file # SKIP there is no /dev/shm");
		return;
	}
	memset(&address, 0, sizeof(address));
	address.sun_family = AF_UNIX;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/x", folder);
	length = sizeof(address);
	hyb_listener_start(new_listener());
	come(1);
	tap_equal(accept_most(64), 1, "connections to a file");
	hyb_listener_withdraw();
	tap(lstat(address.sun_path, &st) && lstat(folder, &st), "the file and its folder are gone when it is withdrawn");
	hyb_listener_close();
}

int main(void)
{
	abstract();
	file();
	return tap_done();
}
