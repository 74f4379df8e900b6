/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who owns a user's number; see owner.h. A process in a user namespace belongs to who made the outermost of its
 * namespaces, as the kernel says. A number that /etc/subuid gives to a user is his wherever it appears: a set-uid
 * program can take it out of the namespace. Both are local, so no database on the network is asked.
 */
#include "collector/service/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sys/sys.h"
#include "collector/common/pidfd.h"

#define DEPTH_MAX 64	/* of namespaces: the kernel allows 32 */

/* Finds who made the outermost namespace below our own. *owner is not set if the process is in ours. 0 or -errno. */
static int find_maker(pid_t pid, uid_t *owner)
{
	struct stat own, st;
	char path[64];
	int fd, parent;

	snprintf(path, sizeof(path), "/proc/%ld/ns/user", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (stat("/proc/self/ns/user", &own)) {
		close(fd);
		return -EPERM;
	}
	for (int i = 0; i < DEPTH_MAX && !fstat(fd, &st) && (st.st_ino != own.st_ino || st.st_dev != own.st_dev); i++) {
		int err = ioctl(fd, NS_GET_OWNER_UID, owner) ? -errno : 0;

		parent = err ? -1 : ioctl(fd, NS_GET_PARENT);
		if (parent < 0)
			err = err ? err : -errno;
		close(fd);
		if (err)
			return err;
		fd = parent;
	}
	close(fd);
	return 0;
}

/* Whether its numbers are ours, as in our own namespace. Everybody may read uid_map. */
static bool has_our_numbers(pid_t pid)
{
	char path[64], own[4096], its[4096];

	snprintf(path, sizeof(path), "/proc/%ld/uid_map", (long)pid);
	return hyb_sys_read_file("/proc/self/uid_map", own, sizeof(own)) > 0 &&
	       hyb_sys_read_file(path, its, sizeof(its)) > 0 && !strcmp(own, its);
}

static bool find_name(const char *name, uid_t *uid)
{
	FILE *f = fopen("/etc/passwd", "re");
	const struct passwd *p;

	while (f && (p = fgetpwent(f)) && strcmp(p->pw_name, name))
		;
	if (!f)
		return false;
	if (p)
		*uid = p->pw_uid;
	fclose(f);
	return p;
}

/* A line is NAME:FIRST:COUNT, or has a number as its name. A user not in /etc/passwd is known by his first range. */
static uid_t find_in_ranges(uid_t uid)
{
	FILE *f = fopen("/etc/subuid", "re");
	char line[512], name[256], who[256] = "";
	unsigned long first, count;
	uid_t owner = uid;
	char *end;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%255[^:]:%lu:%lu", name, &first, &count) == 3 && uid >= first && uid - first < count)
			memcpy(who, name, sizeof(who));
	}
	if (*who && !find_name(who, &owner)) {
		owner = (uid_t)strtoul(who, &end, 10);
		if (*end) {
			rewind(f);
			owner = uid;
			while (fgets(line, sizeof(line), f)) {
				if (sscanf(line, "%255[^:]:%lu:%lu", name, &first, &count) == 3 && !strcmp(name, who)) {
					owner = (uid_t)first;
					break;
				}
			}
		}
	}
	if (f)
		fclose(f);
	return owner;
}

int hyb_owner_find(int connection, const struct ucred *peer, uid_t *owner)
{
	int pidfd = hyb_pidfd_of_peer(connection, peer->pid);
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	uid_t maker = peer->uid;
	int err;

	if (pidfd < 0)
		return pidfd;
	err = find_maker(peer->pid, &maker);
	if ((err == -EACCES || err == -EPERM) && has_our_numbers(peer->pid))
		err = 0;
	else if (err == -EACCES)
		err = -EPERM;
	/* It has not ended, so the namespace was its own, and not that of a later process with its number. */
	if (!err && poll(&p, 1, 0))
		err = -ESRCH;
	close(pidfd);
	if (!err)
		*owner = find_in_ranges(maker);
	return err;
}
