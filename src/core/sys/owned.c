/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening what lies where others may write; see owned.h. */
#include "core/sys/owned.h"

#include <string.h>
#include <sys/stat.h>

#include "core/sys/sys.h"
#include "core/sys/text.h"

#define OPEN_FLAGS	(O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

static void tell_identity(const struct stat *st, struct hyb_identity *identity)
{
	identity->device = st->st_dev;
	identity->inode = st->st_ino;
	identity->owner = st->st_uid;
}

/*
 * Whether `owner` is whom files of this user belong to in `directory`. Some file systems give them all to one user (NFS
 * with root_squash or all_squash, folders shared with a host): there a new file shows who that is.
 */
static bool is_own(long directory, uint32_t owner)
{
	struct stat st;
	uint64_t random = 0;
	char name[48];
	long fd;
	bool same;

	if (owner == (uint32_t)HYB_SYS(geteuid, 0, 0, 0, 0, 0, 0))
		return true;
	if (directory < 0)
		return false;
	HYB_SYS(getrandom, &random, sizeof(random), 1 /* GRND_NONBLOCK */, 0, 0, 0);
	hyb_text_format(name, sizeof(name), ".hybmon-whose-%llx", (unsigned long long)random);
	fd = HYB_SYS(openat, directory, name, O_WRONLY | O_CREAT | O_EXCL | OPEN_FLAGS, 0600, 0, 0);
	if (fd < 0)
		return false;
	same = !HYB_SYS(fstat, fd, &st, 0, 0, 0, 0) && st.st_uid == owner;
	hyb_sys_close(fd);
	HYB_SYS(unlinkat, directory, name, 0, 0, 0, 0);
	return same;
}

long hyb_owned_named(const char *path)
{
	return hyb_sys_open(path, O_PATH | O_DIRECTORY, 0);
}

/* The umask may have taken rights from the user himself, without which nothing can be made in it. */
static void give_owner_rights(long at, const char *name)
{
	struct stat st;
	char path[32];
	long fd = HYB_SYS(openat, at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0, 0, 0);

	if (fd < 0)
		return;
	if (!HYB_SYS(fstat, fd, &st, 0, 0, 0, 0) && (st.st_mode & S_IRWXU) != S_IRWXU) {
		/* What is open by O_PATH has no other name that cannot be made another's meanwhile. */
		hyb_text_format(path, sizeof(path), "/proc/self/fd/%ld", fd);
		HYB_SYS(fchmodat, AT_FDCWD, path, (st.st_mode & 07777) | S_IRWXU, 0, 0, 0);
	}
	hyb_sys_close(fd);
}

long hyb_owned_make(long at, const char *name, int mode)
{
	long err = HYB_SYS(mkdirat, at, name, mode, 0, 0, 0);

	if (!err)
		give_owner_rights(at, name);
	return err;
}

long hyb_owned_directory(long at, const char *name, struct hyb_identity *identity)
{
	struct stat st;
	long fd = HYB_SYS(openat, at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0, 0, 0);
	long err;

	if (fd < 0)
		return fd;
	err = HYB_SYS(fstat, fd, &st, 0, 0, 0, 0);
	if (!err && !is_own(fd, st.st_uid))
		err = HYB_FOREIGN;
	if (err) {
		hyb_sys_close(fd);
		return err;
	}
	tell_identity(&st, identity);
	return fd;
}

long hyb_owned_again(const char *path, const struct hyb_identity *identity)
{
	struct stat st;
	long fd = hyb_sys_open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
	long err;

	if (fd < 0)
		return fd == -ENOTDIR ? -ESTALE : fd;	/* as of a link, too */
	err = HYB_SYS(fstat, fd, &st, 0, 0, 0, 0);
	if (!err && (st.st_dev != identity->device || st.st_ino != identity->inode))
		err = -ESTALE;
	if (!err)
		return fd;
	hyb_sys_close(fd);
	return err;
}

long hyb_owned_create(long directory, const char *name, int flags, struct hyb_identity *identity)
{
	struct stat st;
	long fd = HYB_SYS(openat, directory, name, flags | O_CREAT | O_EXCL | OPEN_FLAGS, 0666, 0, 0);
	long err;

	if (fd < 0)
		return fd;
	err = HYB_SYS(fstat, fd, &st, 0, 0, 0, 0);
	if (err) {
		hyb_sys_close(fd);
		HYB_SYS(unlinkat, directory, name, 0, 0, 0, 0);
		return err;
	}
	/* It is opened again later, and by readers; the umask may have taken that from the user himself. */
	if ((st.st_mode & (S_IRUSR | S_IWUSR)) != (S_IRUSR | S_IWUSR))
		HYB_SYS(fchmod, fd, (st.st_mode & 07777) | S_IRUSR | S_IWUSR, 0, 0, 0, 0);
	tell_identity(&st, identity);
	return fd;
}

long hyb_owned_file(long directory, const char *name, int flags, uint32_t owner)
{
	struct stat st;
	long fd = HYB_SYS(openat, directory, name, flags | OPEN_FLAGS, 0, 0, 0);
	long err;

	/* What these mean is that it is no plain file: a socket, a device that is not there, a link. */
	if (fd == -ENXIO || fd == -ENODEV || fd == -ELOOP || fd == -EISDIR)
		return HYB_STRANGE;
	if (fd < 0)
		return fd;
	err = HYB_SYS(fstat, fd, &st, 0, 0, 0, 0);
	if (!err && !S_ISREG(st.st_mode))
		err = HYB_STRANGE;
	else if (!err && st.st_uid != owner)
		err = HYB_FOREIGN;
	if (!err)
		return fd;
	hyb_sys_close(fd);
	return err;
}

long hyb_owned_link(long directory, const char *name, char *buf, size_t size)
{
	struct stat st;
	long n = HYB_SYS(newfstatat, directory, name, &st, AT_SYMLINK_NOFOLLOW, 0, 0);

	if (n)
		return n;
	if (!S_ISLNK(st.st_mode))
		return HYB_STRANGE;
	if (!is_own(directory, st.st_uid))
		return HYB_FOREIGN;
	return hyb_sys_readlink_at(directory, name, buf, size);
}
