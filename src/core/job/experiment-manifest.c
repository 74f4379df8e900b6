/* SPDX-License-Identifier: BSD-3-Clause */
/* The manifest of an experiment: which job's it is, and whether rank 0 is in it; see place.h and experiment.h. */
#include "core/job/experiment.h"

#include <stdint.h>
#include <string.h>

#include "core/sys/sys.h"
#include "core/sys/text.h"

#define TITLE	"hybmon experiment manifest 1\n"
/* Ranks of one job begin within this time; an older experiment with the same key is another job's. */
#define JOIN_SECONDS 3600

void hyb_place_program(char *buf, size_t size)
{
	char exe[PATH_MAX];
	const char *slash;

	if (hyb_sys_readlink("/proc/self/exe", exe, sizeof(exe)) < 0)
		exe[0] = 0;
	slash = strrchr(exe, '/');
	hyb_text_format(buf, size, "%s", slash ? slash + 1 : "program");
}

/* Whether the experiment that is open is the job's: 0, -EEXIST, -ENOENT: it is none, or another -errno. */
static long belongs_to(long directory, uint32_t owner, const struct hyb_job *job, long long now)
{
	char text[HYB_JOB_KEY + 256];
	char expected[HYB_JOB_KEY + 64];
	long long created = 0;
	const char *p;
	long fd = hyb_owned_file(directory, "manifest", O_RDONLY, owner);
	long n;

	/* That it cannot be read is this name's trouble, and not that of the others. */
	if (fd == -EACCES || fd == -ENOTDIR)
		return HYB_STRANGE;
	if (fd < 0)
		return fd;
	n = hyb_sys_read_text(fd, text, sizeof(text));
	hyb_sys_close(fd);
	if (n < 0)
		return n;
	n = (long)hyb_text_format(expected, sizeof(expected), TITLE "job: %s\nseconds: ", job->key);
	if (strncmp(text, expected, (size_t)n))
		return -EEXIST;
	for (p = text + n; *p >= '0' && *p <= '9' && created < INT64_MAX / 16; p++)
		created = created * 10 + (*p - '0');
	return job->run || now - created < JOIN_SECONDS ? 0 : -EEXIST;
}

long hyb_place_look(long parent, const char *name, const struct hyb_job *job, long long now,
			 struct hyb_identity *identity)
{
	long fd = hyb_owned_directory(parent, name, identity);
	long err;

	if (fd < 0)
		return fd;
	err = belongs_to(fd, identity->owner, job, now);
	if (!err)
		return fd;
	hyb_sys_close(fd);
	return err;
}

#define FIRST "rank-0: "

/* The manifest of the experiment that this process is in. */
static long open_manifest(const struct hyb_place *place, int flags)
{
	long directory = hyb_owned_again(place->experiment, &place->experiment_id);
	long fd;

	if (directory < 0)
		return directory;
	fd = hyb_owned_file(directory, "manifest", flags, place->experiment_id.owner);
	hyb_sys_close(directory);
	return fd;
}

void hyb_place_note_first(const struct hyb_place *place)
{
	long fd = open_manifest(place, O_WRONLY | O_APPEND);
	char host[65];
	char text[96];

	if (fd < 0)
		return;
	hyb_job_host(host, sizeof(host));
	hyb_sys_write_all(fd, text, hyb_text_format(text, sizeof(text), FIRST "%s\n", host));
	hyb_sys_close(fd);
}

bool hyb_place_has_first(const struct hyb_place *place)
{
	char text[2 * HYB_JOB_KEY + 1024] = "";
	long fd = open_manifest(place, O_RDONLY);

	if (fd < 0)
		return false;
	hyb_sys_read_text(fd, text, sizeof(text));
	hyb_sys_close(fd);
	return strstr(text, "\n" FIRST);
}

long hyb_place_describe(long directory, const struct hyb_job *job, long long now)
{
	struct hyb_identity identity;
	char text[2 * HYB_JOB_KEY + 512];
	char program[256];
	char date[32];
	size_t n;
	long err;
	long fd;

	hyb_place_program(program, sizeof(program));
	hyb_text_utc(date, sizeof(date), now);
	n = hyb_text_format(text, sizeof(text),
			    TITLE "job: %s\nseconds: %lld\nstarted: %s\nprogram: %s\n", job->key, now,
			    date, program);
	if (job->parent[0])
		n += hyb_text_format(text + n, sizeof(text) - n, "parent: %s\n", job->parent);
	fd = hyb_owned_create(directory, "manifest", O_WRONLY, &identity);
	if (fd < 0)
		return fd;
	err = hyb_sys_write_all(fd, text, n);
	hyb_sys_close(fd);
	return err;
}
