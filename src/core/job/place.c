/* SPDX-License-Identifier: BSD-3-Clause */
/* The process's directory in the experiment or the spool; see place.h. */
#include "core/job/place.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "core/config/config.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"

/* File systems on which a shared mapping is slow or wrong; from statfs(2) and their own headers. */
static const unsigned long remote_types[] = {
	0x6969 /* NFS */, 0x517b /* SMB */, 0xfe534d42 /* SMB2 */, 0xff534d42 /* CIFS */,
	0x0bd00bd0 /* Lustre */, 0x47504653 /* GPFS */, 0x65735546 /* FUSE */,
	0x19830326 /* BeeGFS */, 0x00c36400 /* Ceph */, 0x5346414f /* AFS */, 0x01021997 /* 9p */,
	0x20030528 /* OrangeFS */, 0xaad7aaea /* PanFS */, 0x01161970 /* GFS2 */,
	0x7461636f /* OCFS2 */,
};

static bool is_remote(const char *path)
{
	struct statfs fs;

	if (HYB_SYS(statfs, path, &fs, 0, 0, 0, 0))
		return false;
	for (size_t i = 0; i < sizeof(remote_types) / sizeof(remote_types[0]); i++) {
		if ((unsigned long)fs.f_type == remote_types[i])
			return true;
	}
	return false;
}

/* mkdir -p */
static int make_directories(const char *path)
{
	char part[PATH_MAX];
	long err = 0;

	if (hyb_text_format(part, sizeof(part), "%s", path) >= sizeof(part))
		return -ENAMETOOLONG;
	for (char *c = part + 1; ; c++) {
		char end = *c;

		if (end && end != '/')
			continue;
		*c = 0;
		err = hyb_owned_make(AT_FDCWD, part, 0777);
		*c = end;
		if (!end)
			return err == -EEXIST ? 0 : (int)err;
	}
}

long hyb_place_named(const char *path)
{
	long fd = hyb_owned_named(path);
	int err;

	if (fd != -ENOENT)
		return fd;
	err = make_directories(path);
	return err ? err : hyb_owned_named(path);
}

void hyb_place_parent(char *buf, size_t size, const char *path)
{
	char *slash;

	hyb_text_format(buf, size, "%s", path);
	slash = strrchr(buf, '/');
	if (slash)
		slash[slash == buf] = 0;
}

/*
 * Makes `name`, `name`-2, ... whichever is free, in the directory `at` whose path is dir. Its path goes into
 * place->process. 0 or -errno.
 */
static int make_unique(struct hyb_place *place, long at, const char *dir, const char *name, int mode)
{
	char *buf = place->process;
	size_t start = strlen(dir) + 1;
	long err = -EEXIST;

	for (unsigned int n = 1; err == -EEXIST && n <= HYB_PLACE_TRIES; n++) {
		if ((n == 1 ? hyb_text_format(buf, PATH_MAX, "%s/%s", dir, name) :
			      hyb_text_format(buf, PATH_MAX, "%s/%s-%u", dir, name, n)) >= PATH_MAX - 64)
			return -ENAMETOOLONG;
		err = hyb_owned_make(at, buf + start, mode);
	}
	if (err)
		return (int)err;
	err = hyb_owned_directory(at, buf + start, &place->process_id);
	if (err < 0) {
		HYB_SYS(unlinkat, at, buf + start, AT_REMOVEDIR, 0, 0, 0);
		return (int)err;
	}
	hyb_sys_close(err);
	return 0;
}

/* A link in the experiment to the process's directory, which is in the spool. */
static int link_spooled(struct hyb_place *place, long experiment, const char *name)
{
	const char *link = place->final + strlen(place->experiment) + 1;
	long err = -EEXIST;

	for (unsigned int n = 1; err == -EEXIST && n <= HYB_PLACE_TRIES; n++) {
		if (hyb_text_format(place->final, PATH_MAX, n == 1 ? "%s/%s" : "%s/%s-%u", place->experiment, name,
				    n) >= PATH_MAX - 64)
			return -ENAMETOOLONG;
		err = HYB_SYS(symlinkat, place->process, experiment, link, 0, 0, 0);
	}
	return (int)err;
}

/*
 * The process's directory in the spool, with a link to it in the experiment. It is only the owner's: a
 * spool is a place like /tmp, which all users share.
 */
static int make_spooled(struct hyb_place *place, long experiment, const char *spool, const char *name)
{
	char spooled[300];
	long at = hyb_place_named(spool);
	int err;

	if (at < 0)
		return (int)at;
	hyb_text_format(spooled, sizeof(spooled), "hybmon-%s", name);
	err = make_unique(place, at, spool, spooled, 0700);
	if (!err) {
		err = link_spooled(place, experiment, name);
		if (err)
			HYB_SYS(unlinkat, at, place->process + strlen(spool) + 1, AT_REMOVEDIR, 0, 0, 0);
	}
	hyb_sys_close(at);
	if (err)
		place->final[0] = 0;
	return err;
}

/* Where streams are to be until the end; empty: in the experiment. */
static const char *choose_spool(const struct hyb_place *place)
{
	const char *spool = hyb_config.spool;

	if (!strcmp(spool, "memory"))
		return "/dev/shm";
	if (!spool[0] && is_remote(place->experiment)) {
		spool = hyb_job_env("TMPDIR");
		if (!spool || !spool[0] || is_remote(spool))
			spool = "/tmp";
	}
	return spool;
}

int hyb_place_add(struct hyb_place *place, const char *start_dir, const char *name)
{
	const char *spool = choose_spool(place);
	char spool_path[PATH_MAX];
	long at;
	int err;

	if (place->experiment_id.inode)
		at = hyb_owned_again(place->experiment, &place->experiment_id);
	else
		at = hyb_owned_directory(AT_FDCWD, place->experiment, &place->experiment_id);
	if (at < 0)
		return (int)at;
	if (spool[0]) {
		hyb_text_format(spool_path, sizeof(spool_path), spool[0] == '/' ? "%s%s" : "%s/%s",
				spool[0] == '/' ? "" : start_dir, spool);
		err = make_spooled(place, at, spool_path, name);
		if (err)
			hyb_text_format(place->experiment, sizeof(place->experiment), "%s", spool_path);
	} else {
		err = make_unique(place, at, place->experiment, name, HYB_OWNED_MODE);
	}
	hyb_sys_close(at);
	return err;
}

/*
 * No descriptor stays open (programs close what they do not know), so this is by path each time. The directory must be
 * the one that was made, so that nothing is made elsewhere, and the file the same, so that no other is written to.
 */
long hyb_place_open(const struct hyb_place *place, const char *name, int flags, struct hyb_identity *identity)
{
	long directory = hyb_owned_again(place->process, &place->process_id);
	struct stat st;
	long fd;

	if (directory < 0)
		return directory;
	if (flags & O_CREAT)
		fd = hyb_owned_create(directory, name, flags, identity);
	else
		fd = HYB_SYS(openat, directory, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0, 0, 0);
	hyb_sys_close(directory);
	if (fd < 0 || flags & O_CREAT)
		return fd;
	if (!HYB_SYS(fstat, fd, &st, 0, 0, 0, 0) && st.st_dev == identity->device && st.st_ino == identity->inode)
		return fd;
	hyb_sys_close(fd);
	return -ESTALE;
}

void hyb_place_unlink(const struct hyb_place *place, const char *name)
{
	long directory = hyb_owned_again(place->process, &place->process_id);

	if (directory < 0)
		return;
	HYB_SYS(unlinkat, directory, name, 0, 0, 0, 0);
	hyb_sys_close(directory);
}

static void empty(long directory, hyb_place_name_fn name_of, const void *context)
{
	char name[64];

	for (unsigned int n = 0; name_of(n, name, sizeof(name), context); n++)
		HYB_SYS(unlinkat, directory, name, 0, 0, 0, 0);
}

void hyb_place_forget(const struct hyb_place *place, hyb_place_name_fn name_of, const void *context)
{
	long directory = hyb_owned_again(place->process, &place->process_id);

	if (directory < 0)
		return;
	empty(directory, name_of, context);
	hyb_sys_close(directory);
	if (place->final[0])
		hyb_sys_unlink(place->final, 0);
	hyb_sys_unlink(place->process, AT_REMOVEDIR);	/* only what is empty goes */
}

static long copy_bytes(long in, long out)
{
	static char buf[1 << 16];	/* the process ends: one thread comes here */
	long n;

	do {
		n = HYB_SYS(copy_file_range, in, 0, out, 0, 1 << 30, 0);
	} while (n > 0);
	/* Not between these two file systems, or not by this kernel; goes on where it stopped. */
	while (n && (n = hyb_sys_read(in, buf, sizeof(buf))) > 0) {
		n = hyb_sys_write_all(out, buf, (size_t)n);
		if (n)
			break;
		n = 1;
	}
	return n;
}

/* What is longer than RLIMIT_FSIZE lets files be is not begun: its end would be the program's, by SIGXFSZ. */
static int copy_file(long from, long to, const char *name, uint32_t owner)
{
	struct hyb_identity made;
	struct stat st;
	long in = hyb_owned_file(from, name, O_RDONLY, owner);
	long out;
	long err;

	if (in == -ENOENT)	/* a stream that never had a file */
		return 0;
	if (in < 0)
		return (int)in;
	err = HYB_SYS(fstat, in, &st, 0, 0, 0, 0);
	if (!err && !hyb_sys_fits((uint64_t)st.st_size))
		err = -EFBIG;
	out = err ? err : hyb_owned_create(to, name, O_WRONLY, &made);
	if (out >= 0) {
		err = copy_bytes(in, out);
		hyb_sys_close(out);
	}
	hyb_sys_close(in);
	return (int)(out < 0 ? out : err);
}

static long copy_all(long from, long to, uint32_t owner, hyb_place_name_fn name_of, const void *context)
{
	char name[64];
	int err = 0;

	for (unsigned int n = 0; !err && name_of(n, name, sizeof(name), context); n++)
		err = copy_file(from, to, name, owner);
	return err;
}

/* From the directory `from` to the experiment `to`, where it appears whole in the link's place. */
static int move(const struct hyb_place *place, long from, long to, hyb_place_name_fn name_of, const void *context)
{
	const char *name = place->final + strlen(place->experiment) + 1;
	struct hyb_identity identity;
	char fresh[300];
	long directory;
	long err;

	hyb_text_format(fresh, sizeof(fresh), ".moving-%s", name);
	err = hyb_owned_make(to, fresh, HYB_OWNED_MODE);
	if (err)
		return (int)err;
	directory = hyb_owned_directory(to, fresh, &identity);
	err = directory < 0 ? directory : copy_all(from, directory, place->process_id.owner, name_of, context);
	if (!err) {
		HYB_SYS(unlinkat, to, name, 0, 0, 0, 0);
		err = HYB_SYS(renameat2, to, fresh, to, name, 0, 0);
		if (err)
			HYB_SYS(symlinkat, place->process, to, name, 0, 0, 0);
	}
	if (err && directory >= 0)
		empty(directory, name_of, context);
	if (err)
		HYB_SYS(unlinkat, to, fresh, AT_REMOVEDIR, 0, 0, 0);
	if (directory >= 0)
		hyb_sys_close(directory);
	return (int)err;
}

int hyb_place_move(const struct hyb_place *place, hyb_place_name_fn name_of, const void *context)
{
	long from = hyb_owned_again(place->process, &place->process_id);
	long to;
	long err;

	if (from < 0)
		return (int)from;
	to = hyb_owned_again(place->experiment, &place->experiment_id);
	err = to;
	if (to >= 0) {
		err = move(place, from, to, name_of, context);
		hyb_sys_close(to);
	}
	if (!err)
		empty(from, name_of, context);
	hyb_sys_close(from);
	if (!err)
		hyb_sys_unlink(place->process, AT_REMOVEDIR);
	return (int)err;
}
