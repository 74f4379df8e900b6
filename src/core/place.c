/* SPDX-License-Identifier: BSD-3-Clause */
/* Where things lie; see place.h. */
#include "core/place.h"

#include <dirent.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#include "core/config.h"
#include "core/sys.h"
#include "core/text.h"

#define TITLE	"hybmon experiment manifest 1\n"
/* Ranks of one job begin within this time; an older experiment with the same key is another job's. */
#define JOIN_SECONDS 3600

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
		err = hyb_sys_mkdir(part, 0777);
		*c = end;
		if (!end)
			return err == -EEXIST ? 0 : (int)err;
	}
}

static void parent_of(char *buf, size_t size, const char *path)
{
	char *slash;

	hyb_text_format(buf, size, "%s", path);
	slash = strrchr(buf, '/');
	if (slash)
		slash[slash == buf] = 0;
}

void hyb_place_program(char *buf, size_t size)
{
	char exe[PATH_MAX];
	const char *slash;

	if (hyb_sys_readlink("/proc/self/exe", exe, sizeof(exe)) < 0)
		exe[0] = 0;
	slash = strrchr(exe, '/');
	hyb_text_format(buf, size, "%s", slash ? slash + 1 : "program");
}

/* Whether the experiment at `path` is this job's: 1 yes, 0 no, -ENOENT there is no experiment. */
static int belongs_to(const char *path, const struct hyb_job *job, long long now)
{
	char file[PATH_MAX];
	char text[HYB_JOB_KEY + 256];
	char expected[HYB_JOB_KEY + 64];
	long long created = 0;
	const char *p;
	long n;

	hyb_text_format(file, sizeof(file), "%s/manifest", path);
	n = hyb_sys_read_file(file, text, sizeof(text));
	if (n < 0)
		return n == -ENOENT ? -ENOENT : 0;
	n = (long)hyb_text_format(expected, sizeof(expected), TITLE "job: %s\nseconds: ", job->key);
	if (strncmp(text, expected, (size_t)n))
		return 0;
	for (p = text + n; *p >= '0' && *p <= '9'; p++)
		created = created * 10 + (*p - '0');
	return job->run || now - created < JOIN_SECONDS;
}

static int write_experiment_manifest(const char *dir, const struct hyb_job *job, long long now)
{
	char file[PATH_MAX];
	char text[2 * HYB_JOB_KEY + PATH_MAX];
	char program[256];
	char date[32];
	size_t n;

	hyb_place_program(program, sizeof(program));
	hyb_text_utc(date, sizeof(date), now);
	n = hyb_text_format(text, sizeof(text),
			    TITLE "job: %s\nseconds: %lld\nstarted: %s\nprogram: %s\n", job->key, now,
			    date, program);
	if (job->parent[0])
		n += hyb_text_format(text + n, sizeof(text) - n, "parent: %s\n", job->parent);
	if (hyb_text_format(file, sizeof(file), "%s/manifest", dir) >= sizeof(file))
		return -ENAMETOOLONG;
	return (int)hyb_sys_write_file(file, O_CREAT | O_EXCL, text, n);
}

/*
 * Makes the experiment at `path`. It appears there whole or not at all: a directory made under another
 * name is renamed, which fails where something else than an empty directory is already. 1 made, 0 taken.
 */
static int try_make(const char *path, const struct hyb_job *job, long long now)
{
	char fresh[PATH_MAX];
	char parent[PATH_MAX];
	char host[65];
	long err;

	parent_of(parent, sizeof(parent), path);
	hyb_job_host(host, sizeof(host));
	if (hyb_text_format(fresh, sizeof(fresh), "%s/.hybmon-new.%s.%ld", parent, host,
			    HYB_SYS(getpid, 0, 0, 0, 0, 0, 0)) >= sizeof(fresh) - sizeof("/manifest"))
		return -ENAMETOOLONG;
	err = make_directories(parent);
	if (!err)
		err = hyb_sys_mkdir(fresh, 0777);
	if (err)
		return (int)err;
	err = write_experiment_manifest(fresh, job, now);
	if (!err)
		err = hyb_sys_rename(fresh, path);
	if (!err)
		return 1;
	hyb_text_format(fresh + strlen(fresh), sizeof("/manifest"), "/manifest");
	hyb_sys_unlink(fresh, 0);
	*strrchr(fresh, '/') = 0;
	hyb_sys_unlink(fresh, AT_REMOVEDIR);
	return err == -ENOTEMPTY || err == -EEXIST || err == -ENOTDIR ? 0 : (int)err;
}

/* The first name of base, base.2, base.3, ... that is this job's, or that can become it. */
static int join(struct hyb_place *place, const struct hyb_job *job, const char *base)
{
	long long now = (long long)time(NULL);

	for (unsigned int n = 1; ; n++) {
		char *path = place->experiment;
		int mine;

		if ((n == 1 ? hyb_text_format(path, PATH_MAX, "%s", base) :
			      hyb_text_format(path, PATH_MAX, "%s.%u", base, n)) >= PATH_MAX - 512)
			return -ENAMETOOLONG;
		mine = belongs_to(path, job, now);
		if (mine == -ENOENT) {
			mine = try_make(path, job, now);
			place->created = mine == 1;
			if (!mine)	/* another rank, or another job, was faster */
				mine = belongs_to(path, job, now) == 1;
		}
		if (mine) {
			place->renamed = n > 1;
			return mine < 0 ? mine : 0;
		}
	}
}

/* Whether `name` is that of an experiment of a job with this id: hybmon-<program>[-<label>]-<id>, perhaps with a suffix. */
static bool is_named_after(const char *name, const char *id)
{
	size_t length = strlen(id);

	if (strncmp(name, "hybmon-", 7))
		return false;
	for (const char *p = name + 6; (p = strchr(p, '-')) != NULL; p++) {
		if (!strncmp(p + 1, id, length) && (!p[1 + length] || p[1 + length] == '.'))
			return true;
	}
	return false;
}

/* The experiment that another program of this job has made in dir; false: there is none. */
static bool find_made(const struct hyb_job *job, const char *dir, char *name, size_t size)
{
	long fd = hyb_sys_open(dir, O_RDONLY | O_DIRECTORY, 0);
	union {
		struct dirent64 first;
		char bytes[8192];
	} buf;
	char path[PATH_MAX];
	bool found = false;
	long n, at;

	while (fd >= 0 && !found && (n = HYB_SYS(getdents64, fd, &buf, sizeof(buf), 0, 0, 0)) > 0) {
		for (at = 0; at < n && !found; ) {
			const struct dirent64 *d = (const struct dirent64 *)(buf.bytes + at);

			at += d->d_reclen;
			if (!is_named_after(d->d_name, job->id) || strlen(d->d_name) >= size ||
			    hyb_text_format(path, sizeof(path), "%s/%s", dir, d->d_name) >= sizeof(path))
				continue;
			found = belongs_to(path, job, (long long)time(NULL)) == 1;
			if (found)
				hyb_text_format(name, size, "%s", d->d_name);
		}
	}
	if (fd >= 0)
		hyb_sys_close(fd);
	return found;
}

static bool read_name(const char *link, char *name, size_t size)
{
	char other[256];

	if (hyb_sys_readlink(link, other, sizeof(other)) <= 0 || strncmp(other, "hybmon-", 7) ||
	    strchr(other, '/'))
		return false;
	hyb_text_format(name, size, "%s", other);
	return true;
}

/*
 * Ranks of one job may run different programs, one of them several behind each other, but their default experiment
 * has one name: that of whoever comes first. A link tells the others while he runs; who comes when he has ended, and
 * with him the link, looks for what he has made.
 */
static void agree_on_name(struct hyb_place *place, const struct hyb_job *job, const char *dir,
			  char *name, size_t size)
{
	long err;

	if (hyb_text_format(place->rendezvous, sizeof(place->rendezvous), "%s/.hybmon-job-%s", dir,
			    job->id) >= sizeof(place->rendezvous) ||
	    read_name(place->rendezvous, name, size))
		goto out_none;
	find_made(job, dir, name, size);
	err = hyb_sys_symlink(name, place->rendezvous);
	if (!err)
		return;
	if (err == -EEXIST)
		read_name(place->rendezvous, name, size);
out_none:
	place->rendezvous[0] = 0;
}

static int find_experiment(struct hyb_place *place, const struct hyb_job *job, const char *start_dir)
{
	const char *wish = hyb_config.trace_dir;
	char base[PATH_MAX];
	char program[128];
	char name[256];
	size_t n;

	if (!wish[0]) {
		hyb_place_program(program, sizeof(program));
		hyb_text_format(name, sizeof(name), "hybmon-%s-%s%s%s", program, job->label, job->label[0] ? "-" : "",
				job->id);
		if (job->rank >= 0 || job->run)
			agree_on_name(place, job, start_dir, name, sizeof(name));
		wish = name;
	}
	if (wish[0] == '/')
		n = hyb_text_format(base, sizeof(base), "%s", wish);
	else
		n = hyb_text_format(base, sizeof(base), "%s/%s", start_dir, wish);
	if (n >= sizeof(base))
		return -ENAMETOOLONG;
	while (n > 1 && base[n - 1] == '/')
		base[--n] = 0;
	return join(place, job, base);
}

/* Makes dir/name, dir/name-2, ... whichever is free; the path into buf. 0 or -errno. */
static int make_unique(char *buf, size_t size, const char *dir, const char *name, int mode)
{
	long err = -EEXIST;

	for (unsigned int n = 1; err == -EEXIST; n++) {
		if ((n == 1 ? hyb_text_format(buf, size, "%s/%s", dir, name) :
			      hyb_text_format(buf, size, "%s/%s-%u", dir, name, n)) >= size - 64)
			return -ENAMETOOLONG;
		err = hyb_sys_mkdir(buf, mode);
	}
	return (int)err;
}

/*
 * The process's directory in the spool, with a link to it in the experiment. It is only the owner's: a
 * spool is a place like /tmp, which all users share.
 */
static int make_spooled(struct hyb_place *place, const char *spool, const char *name)
{
	char spooled[300];
	int err = make_directories(spool);

	if (err)
		return err;
	hyb_text_format(spooled, sizeof(spooled), "hybmon-%s", name);
	err = make_unique(place->process, sizeof(place->process), spool, spooled, 0700);
	if (err)
		return err;
	for (unsigned int n = 1; ; n++) {
		hyb_text_format(place->final, sizeof(place->final), n == 1 ? "%s/%s" : "%s/%s-%u",
				place->experiment, name, n);
		err = (int)hyb_sys_symlink(place->process, place->final);
		if (err != -EEXIST)
			break;
	}
	if (err) {
		hyb_sys_unlink(place->process, AT_REMOVEDIR);
		place->final[0] = 0;
	}
	return err;
}

int hyb_place_add(struct hyb_place *place, const char *start_dir, const char *name)
{
	const char *spool = hyb_config.spool;
	char spool_path[PATH_MAX];
	int err;

	if (!spool[0] && is_remote(place->experiment)) {
		spool = hyb_job_env("TMPDIR");
		if (!spool || !spool[0] || is_remote(spool))
			spool = "/tmp";
	}
	if (spool[0]) {
		hyb_text_format(spool_path, sizeof(spool_path), spool[0] == '/' ? "%s%s" : "%s/%s",
				spool[0] == '/' ? "" : start_dir, spool);
		err = make_spooled(place, spool_path, name);
		if (err)
			hyb_text_format(place->experiment, sizeof(place->experiment), "%s", spool_path);
		return err;
	}
	return make_unique(place->process, sizeof(place->process), place->experiment, name, 0777);
}

int hyb_place_make(struct hyb_place *place, const struct hyb_job *job, const char *start_dir)
{
	char host[65];
	char name[128];
	int err;

	memset(place, 0, sizeof(*place));
	err = find_experiment(place, job, start_dir);
	if (err)
		return err;
	hyb_job_host(host, sizeof(host));
	hyb_text_format(name, sizeof(name), "%s.%ld", host, HYB_SYS(getpid, 0, 0, 0, 0, 0, 0));
	return hyb_place_add(place, start_dir, name);
}

static int copy_file(const char *from, const char *to)
{
	static char buf[1 << 16];	/* the process ends: one thread comes here */
	long in = hyb_sys_open(from, O_RDONLY, 0);
	long out;
	long n;

	if (in < 0)
		return (int)in;
	out = hyb_sys_open(to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (out < 0) {
		hyb_sys_close(in);
		return (int)out;
	}
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
	hyb_sys_close(in);
	hyb_sys_close(out);
	return (int)n;
}

int hyb_place_move(const struct hyb_place *place, bool (*next_name)(char *buf, size_t size, void *state),
		   void *state)
{
	char fresh[PATH_MAX];
	char from[PATH_MAX];
	char to[PATH_MAX];
	char name[64];
	char *slash;
	int err;

	parent_of(fresh, sizeof(fresh), place->final);
	slash = strrchr(place->final, '/');
	hyb_text_format(fresh + strlen(fresh), sizeof(fresh) - strlen(fresh), "/.moving-%s", slash + 1);
	err = (int)hyb_sys_mkdir(fresh, 0777);
	while (!err && next_name(name, sizeof(name), state)) {
		hyb_text_format(from, sizeof(from), "%s/%s", place->process, name);
		hyb_text_format(to, sizeof(to), "%s/%s", fresh, name);
		err = copy_file(from, to);
		if (err == -ENOENT)	/* a stream that never had a file */
			err = 0;
	}
	if (err)
		return err;
	hyb_sys_unlink(place->final, 0);
	return (int)hyb_sys_rename(fresh, place->final);
}
