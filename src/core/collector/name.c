/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of the collector's socket; see name.h. Binding the name elects the process that starts the collector.
 *
 * An abstract name goes with its last user, whatever kills that. But anybody can connect to it, and so keep the queue of
 * connections full and the collector busy. So a file in a folder of /dev/shm with mode 0700 comes first. A file stays
 * when its collector is killed: a lock on the folder orders who looks for such files and removes them.
 */
#include "core/collector/name.h"

#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "core/sys/directory.h"
#include "core/sys/owned.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"

#define FOLDER		"/dev/shm/hybmon-collect-"
#define BACKLOG		4096
#define LOCK_TRIES	2000	/* of a millisecond each: its holder may wait for a CPU */
#define MAKE_TRIES	8	/* a collector that ends removes the folder */
#define MAX_LEFT	64	/* files of killed collectors to be looked at */
#define MAX_READS	64	/* of the folder */

static uint64_t add_to_hash(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash * UINT64_C(0x100000001b3);
}

/*
 * A hash stands for the experiment's path, which may be long, and for the job: an experiment may be deleted and the next
 * job's be made in its place before the first one's collector has ended. Files are seen from each network namespace,
 * and what has its own is a node of its own, so that belongs to the file's name, too.
 */
void hyb_collect_name(const char *experiment, const char *job, unsigned int n, bool exclusive,
		      struct hyb_collect_name *name)
{
	const long user = HYB_SYS(geteuid, 0, 0, 0, 0, 0, 0);
	uint64_t hash = add_to_hash(add_to_hash(UINT64_C(0xcbf29ce484222325), experiment), job);
	char *path = name->address.sun_path;
	const size_t size = sizeof(name->address.sun_path);
	char network[64];

	memset(name, 0, sizeof(*name));
	name->address.sun_family = AF_UNIX;
	if (exclusive && hyb_sys_readlink("/proc/self/ns/net", network, sizeof(network)) > 0)
		hash = add_to_hash(hash, network);
	if (!exclusive)
		hyb_text_format(path + 1, size - 1, n == 1 ? "hybmon-%ld-%llx" : "hybmon-%ld-%llx-%u", user,
				(unsigned long long)hash, n);
	else if (n == 1)
		hyb_text_format(path, size, FOLDER "%ld/%llx", user, (unsigned long long)hash);
	else
		hyb_text_format(path, size, FOLDER "%ld-%u/%llx", user, n, (unsigned long long)hash);
	name->length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(path + !exclusive));
}

long hyb_collect_socket(void)
{
	return HYB_SYS(socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0, 0, 0);
}

static bool is_abstract(const struct hyb_collect_name *name)
{
	return !name->address.sun_path[0];
}

static void folder_of(const struct hyb_collect_name *name, char folder[sizeof(name->address.sun_path)])
{
	memcpy(folder, name->address.sun_path, sizeof(name->address.sun_path));
	*strrchr(folder, '/') = 0;
}

/* The folder, open; -EACCES: somebody else's, or others may enter it. */
static long open_folder(const struct hyb_collect_name *name)
{
	char folder[sizeof(name->address.sun_path)];
	struct stat st;
	long fd, err;

	folder_of(name, folder);
	err = hyb_owned_make(AT_FDCWD, folder, S_IRWXU);
	if (err && err != -EEXIST)
		return err;
	fd = hyb_sys_open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0)
		return fd == -ELOOP || fd == -ENOTDIR ? -EACCES : fd;
	err = HYB_SYS(fstat, fd, &st, 0, 0, 0, 0);
	if (!err && (st.st_uid != (uid_t)HYB_SYS(geteuid, 0, 0, 0, 0, 0, 0) || st.st_mode & (S_IRWXG | S_IRWXO)))
		err = -EACCES;
	if (!err)
		return fd;
	hyb_sys_close(fd);
	return err;
}

/* Whether a socket is bound to the file. A socket of another type finds out, and the collector never hears of it. */
static bool is_bound(const struct sockaddr_un *address, socklen_t length)
{
	long fd = HYB_SYS(socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0, 0, 0);
	long err;

	if (fd < 0)
		return true; /* connect says what is wrong */
	err = HYB_SYS(connect, fd, address, length, 0, 0, 0);
	hyb_sys_close(fd);
	return err != -ENOENT && err != -ECONNREFUSED;
}

static long lock(long folder)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	long err = 0;

	for (int i = 0; i < LOCK_TRIES; i++) {
		err = HYB_SYS(flock, folder, LOCK_EX | LOCK_NB, 0, 0, 0, 0);
		if (err != -EWOULDBLOCK && err != -EINTR)
			return err;
		HYB_SYS(nanosleep, &moment, NULL, 0, 0, 0, 0);
	}
	return err;
}

struct sweep {
	const char *folder;
	unsigned int left;
};

static bool remove_if_unbound(const char *file, void *sweep)
{
	struct sweep *s = sweep;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t n;

	if (file[0] == '.')
		return false;
	n = hyb_text_format(address.sun_path, sizeof(address.sun_path), "%s/%s", s->folder, file);
	if (n < sizeof(address.sun_path) && !is_bound(&address, (socklen_t)sizeof(address)))
		hyb_sys_unlink(address.sun_path, 0);
	return !--s->left;
}

/* What killed collectors have left. */
static void sweep(const struct hyb_collect_name *name)
{
	char folder[sizeof(name->address.sun_path)];
	struct sweep s = { folder, MAX_LEFT };

	folder_of(name, folder);
	hyb_directory_read(hyb_sys_open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0), MAX_READS, remove_if_unbound, &s);
}

static long bind_and_listen(const struct hyb_collect_name *name, long *listener)
{
	long fd = hyb_collect_socket();
	long err;

	if (fd < 0)
		return fd;
	err = HYB_SYS(bind, fd, &name->address, name->length, 0, 0, 0);
	if (!err && !is_abstract(name))
		HYB_SYS(fchmodat, AT_FDCWD, name->address.sun_path, S_IRUSR | S_IWUSR, 0, 0, 0);
	if (!err)
		err = HYB_SYS(listen, fd, BACKLOG, 0, 0, 0, 0);
	if (err) {
		hyb_sys_close(fd);
		return err == -EADDRINUSE ? 0 : err;
	}
	*listener = fd;
	return 1;
}

/* -ENOENT: a collector that ended has removed the folder meanwhile. */
static long try_in_folder(const struct hyb_collect_name *name, long *listener)
{
	long folder = open_folder(name);
	long err;

	if (folder < 0)
		return folder;
	err = is_bound(&name->address, name->length) ? 0 : lock(folder);
	if (!err && !is_bound(&name->address, name->length)) {
		sweep(name);
		hyb_sys_unlink(name->address.sun_path, 0);
		err = bind_and_listen(name, listener);
	}
	/* A child that another thread has forked meanwhile holds it as well. */
	HYB_SYS(flock, folder, LOCK_UN, 0, 0, 0, 0);
	hyb_sys_close(folder);
	return err;
}

long hyb_collect_listen(const struct hyb_collect_name *name, long *listener)
{
	long err = -ENOENT;

	if (is_abstract(name))
		return bind_and_listen(name, listener);
	for (int i = 0; err == -ENOENT && i < MAKE_TRIES; i++)
		err = try_in_folder(name, listener);
	return err;
}

void hyb_collect_unlisten(const struct hyb_collect_name *name)
{
	char folder[sizeof(name->address.sun_path)];

	if (is_abstract(name))
		return;
	folder_of(name, folder);
	hyb_sys_unlink(name->address.sun_path, 0);
	hyb_sys_unlink(folder, AT_REMOVEDIR);
}
