/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the experiments that belong together; see family.h. */
#include "reader/streams/family.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/containers/array.h"
#include "reader/streams/file.h"

#define MANIFEST_MAX (1u << 20) /* of an experiment: it has a few lines */

static bool is_member(const struct hyb_family *f, const char *path)
{
	struct stat own, other;

	if (stat(path, &own))
		return false;
	for (size_t i = 0; i < f->count; i++) {
		if (!stat(f->members[i]->path, &other) && other.st_dev == own.st_dev &&
		    other.st_ino == own.st_ino)
			return true;
	}
	return false;
}

static int add(struct hyb_family *f, const char *path, const struct hyb_diag *diag)
{
	struct hyb_experiment **members, *x;
	int err;

	if (is_member(f, path))
		return 0;
	members = hyb_array_room(f->members, &f->room, f->count, sizeof(*members));
	if (!members)
		return -ENOMEM;
	f->members = members;
	err = hyb_experiment_open(path, diag, &x);
	if (err)
		return err;
	f->members[f->count++] = x;
	hyb_experiment_keep_private(x);
	return 0;
}

/* Whether the text of a manifest is of an experiment whose processes this job spawned. */
static bool is_child_text(char *text, const char *job)
{
	static const char title[] = "hybmon experiment manifest ";
	char *line, *rest = text;
	bool right = false;

	while ((line = strsep(&rest, "\n"))) {
		if (!right && strncmp(line, title, sizeof(title) - 1))
			return false;
		right = true;
		if (!strncmp(line, "parent: ", 8) && !strcmp(line + 8, job))
			return true;
	}
	return false;
}

/* The same of the experiment at path, of which nothing is looked at before it is known to be the owner's. */
static bool is_child(const char *path, uid_t owner, const char *job)
{
	char *name, *text;
	uid_t whose;
	size_t size;
	bool child = false;

	if (hyb_file_owner(path, &whose) || whose != owner || asprintf(&name, "%s/manifest", path) < 0)
		return false;
	if (!hyb_file_read(name, owner, MANIFEST_MAX, &text, &size)) {
		child = is_child_text(text, job);
		free(text);
	}
	free(name);
	return child;
}

/* The directory that the experiment lies in, to be freed. */
static char *folder_of(const struct hyb_experiment *x)
{
	const char *slash = strrchr(x->path, '/');
	const char *name = slash ? slash + 1 : x->path;
	char *folder;
	int n;

	if (!strcmp(name, ".") || !strcmp(name, ".."))
		n = asprintf(&folder, "%s/..", x->path);
	else if (slash)
		n = asprintf(&folder, "%.*s", slash == x->path ? 1 : (int)(slash - x->path), x->path);
	else
		n = asprintf(&folder, ".");
	return n < 0 ? NULL : folder;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct paths {
	char **at;
	size_t count;
	size_t room;
};

static int add_path(struct paths *p, char *path)
{
	char **grown = hyb_array_room(p->at, &p->room, p->count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	p->at = grown;
	p->at[p->count++] = path;
	return 0;
}

/* The experiments in the folder whose processes the job spawned. */
static int find_children(struct paths *found, const char *folder, uid_t owner, const char *job)
{
	DIR *dir = opendir(folder);
	struct dirent *d;
	char *path;
	int err = 0;

	while (!err && dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		if (asprintf(&path, "%s/%s", folder, d->d_name) < 0) {
			err = -ENOMEM;
		} else if (!is_child(path, owner, job)) {
			free(path);
		} else {
			err = add_path(found, path);
			if (err)
				free(path);
		}
	}
	if (dir)
		closedir(dir);
	return err;
}

static int add_children(struct hyb_family *f, const struct hyb_experiment *x,
			const struct hyb_diag *diag)
{
	const char *job = hyb_experiment_says(x, "job");
	struct paths found = { .count = 0 };
	char *folder;
	size_t i;
	int err;

	/* A process's own directory is asked for alone. */
	if (!job || x->single)
		return 0;
	folder = folder_of(x);
	if (!folder)
		return -ENOMEM;
	err = find_children(&found, folder, x->owner, job);
	if (found.count)
		qsort(found.at, found.count, sizeof(*found.at), by_name);
	for (i = 0; i < found.count; i++) {
		if (err != -ENOMEM)
			err = add(f, found.at[i], diag);
		free(found.at[i]);
	}
	free(found.at);
	free(folder);
	return err == -ENOMEM ? err : 0;
}

/* Nodes without a file system in common have recorded each into a directory of its own. */
static int join_parts(struct hyb_family *f, const struct hyb_diag *diag)
{
	struct hyb_experiment *whole, *part;
	size_t i, k;
	int64_t rank;
	int err;

	for (i = 0; i < f->count; i++) {
		whole = f->members[i];
		for (k = i + 1; k < f->count; ) {
			part = f->members[k++];
			if (!hyb_experiment_is_part(whole, part, &rank)) {
				if (rank >= 0)
					hyb_diag_say(diag, HYB_SEV_WARNING,
						     "%s and %s are of one job, but both have rank %lld: they stay "
						     "apart; name each process's recording once",
						     whole->path, part->path, (long long)rank);
				continue;
			}
			err = hyb_experiment_join(whole, part, diag);
			if (err)
				return err;
			k--;
			memmove(&f->members[k], &f->members[k + 1], (--f->count - k) * sizeof(*f->members));
		}
	}
	return 0;
}

int hyb_family_open(const char *const *paths, size_t count, const struct hyb_diag *diag,
		    struct hyb_family *f)
{
	size_t i;
	int err = 0;

	memset(f, 0, sizeof(*f));
	for (i = 0; !err && i < count; i++)
		err = add(f, paths[i], diag);
	if (!err)
		err = join_parts(f, diag);
	f->named = f->count;
	/* Children may have children. */
	for (i = 0; !err && i < f->count; i++)
		err = add_children(f, f->members[i], diag);
	if (err)
		hyb_family_close(f);
	return err;
}

void hyb_family_close(struct hyb_family *f)
{
	for (size_t i = 0; i < f->count; i++)
		hyb_experiment_close(f->members[i]);
	free(f->members);
	memset(f, 0, sizeof(*f));
}
