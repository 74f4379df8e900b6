/* SPDX-License-Identifier: BSD-3-Clause */
/* The experiment of the job: found, or made by whoever comes first; see place.h and README.md. */
#include "core/job/experiment.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

#include "core/config/config.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"

/* Names for a directory that is being made: one that was killed there, or somebody else, may have the first. */
#define FRESH_TRIES 100

/* A directory for this process alone to fill; its name goes into buf. */
static long make_fresh(long parent, char *buf, size_t size, struct hyb_identity *identity)
{
	char host[65];
	long err = -EEXIST;

	hyb_job_host(host, sizeof(host));
	for (unsigned int n = 1; err == -EEXIST && n <= FRESH_TRIES; n++) {
		hyb_text_format(buf, size, n == 1 ? ".hybmon-new.%s.%ld" : ".hybmon-new.%s.%ld.%u", host,
				HYB_SYS(getpid, 0, 0, 0, 0, 0, 0), n);
		err = hyb_owned_make(parent, buf, HYB_OWNED_MODE);
	}
	return err ? err : hyb_owned_directory(parent, buf, identity);
}

/*
 * Makes the experiment `name`. It appears there whole or not at all: a directory made under another name is renamed,
 * which fails where something else than an empty directory is already: -EEXIST. What is open is what was filled,
 * whatever others have put in its place.
 */
static long try_make(long parent, const char *name, const struct hyb_job *job, long long now,
		     struct hyb_identity *identity)
{
	char fresh[128];
	long fd = make_fresh(parent, fresh, sizeof(fresh), identity);
	long err = fd < 0 ? fd : hyb_place_describe(fd, job, now);

	if (!err)
		err = HYB_SYS(renameat2, parent, fresh, parent, name, 0, 0);
	if (!err)
		return fd;
	if (fd >= 0) {
		HYB_SYS(unlinkat, fd, "manifest", 0, 0, 0, 0);
		hyb_sys_close(fd);
	}
	HYB_SYS(unlinkat, parent, fresh, AT_REMOVEDIR, 0, 0, 0);	/* only what is empty goes */
	return err == -ENOTEMPTY || err == -ENOTDIR ? -EEXIST : err;
}

/* The experiment `name`, this job's or made now. As hyb_place_look(), but that there is one afterwards. */
static long open_or_make(struct hyb_place *place, long parent, const char *name, const struct hyb_job *job)
{
	long long now = (long long)time(NULL);
	long fd = hyb_place_look(parent, name, job, now, &place->experiment_id);

	if (fd != -ENOENT)
		return fd;
	fd = try_make(parent, name, job, now, &place->experiment_id);
	place->created = fd >= 0;
	if (fd != -EEXIST)
		return fd;
	/* Another rank, or another job, was faster; or there is a directory that is no experiment. */
	fd = hyb_place_look(parent, name, job, now, &place->experiment_id);
	return fd == -ENOENT ? -EEXIST : fd;
}

/*
 * The first name of base, base.2, base.3, ... that is this job's, or that can become it. Only what is wrong with one
 * name leads to the next: without descriptors or memory, or in a directory that may not be entered, all would fail.
 */
static int join(struct hyb_place *place, const struct hyb_job *job, const char *base, long parent)
{
	const char *name = place->experiment + (strrchr(base, '/') - base) + 1;

	for (unsigned int n = 1; n <= HYB_PLACE_TRIES; n++) {
		char *path = place->experiment;
		long fd;

		if ((n == 1 ? hyb_text_format(path, PATH_MAX, "%s", base) :
			      hyb_text_format(path, PATH_MAX, "%s.%u", base, n)) >= PATH_MAX - 512)
			return -ENAMETOOLONG;
		fd = open_or_make(place, parent, name, job);
		if (fd >= 0) {
			place->renamed = n > 1;
			hyb_sys_close(fd);
			return 0;
		}
		if (fd != -EEXIST && fd != -ENOTDIR && fd != HYB_FOREIGN && fd != HYB_STRANGE)
			return (int)fd;
		if (fd != -EEXIST && !place->refused)
			place->refused = (int)fd;
	}
	return -EEXIST;
}

static int find_experiment(struct hyb_place *place, const struct hyb_job *job, const char *start_dir)
{
	const char *wish = hyb_config.trace_dir;
	char base[PATH_MAX];
	char above[PATH_MAX];
	char program[128];
	char name[256];
	size_t n;
	long parent;
	int err;

	if (!wish[0]) {
		hyb_place_program(program, sizeof(program));
		hyb_text_format(name, sizeof(name), "hybmon-%s-%s%s%s", program, job->label, job->label[0] ? "-" : "",
				job->id);
		if (job->rank >= 0 || job->run)
			hyb_rendezvous_agree(place, job, start_dir, name, sizeof(name));
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
	hyb_text_format(place->experiment, sizeof(place->experiment), "%s", base);
	hyb_place_parent(above, sizeof(above), base);
	parent = hyb_place_named(above);
	if (parent < 0)
		return (int)parent;
	err = join(place, job, base, parent);
	hyb_sys_close(parent);
	return err;
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
