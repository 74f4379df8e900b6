/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an experiment has on disk; see experiment.h. Names decide, manifests are read, and of one stream the version.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/streams/experiment.h"
#include "reader/containers/array.h"
#include "reader/containers/parallel.h"
#include "reader/streams/process.h"
#include "reader/streams/stream.h"

/* Whether it has processes in it: then it is an experiment, whatever lies beside them. */
static bool has_processes(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	bool yes = false;
	char *name;

	while (dir && !yes && (d = readdir(dir))) {
		name = *d->d_name == '.' ? NULL : hyb_path_join(path, d->d_name);
		yes = name && hyb_process_is_one(name);
		free(name);
	}
	if (dir)
		closedir(dir);
	return yes;
}

/* One line is enough: others may make any number of them. */
static void note_foreign(struct hyb_experiment *x, const char *path, const struct hyb_diag *diag)
{
	if (!x->foreign++)
		hyb_diag_say(diag, HYB_SEV_WARNING,
			     "%s: belongs to another user than the experiment, so it is left out, "
			     "and whatever else does", path);
}

/* What an entry of an experiment's directory is. */
struct entry {
	enum {
		OTHER,
		PROCESS,
		MISSING,  /* a link to a process's directory that is not here */
		FOREIGN,  /* another user's */
		LIKE_ONE, /* it may be an experiment itself, or a process that has no place yet */
	} what;
	char *path; /* the process has it then */
	struct hyb_process process;
	struct hyb_diag_held said;
};

struct entries {
	const struct hyb_experiment *of;
	struct entry *list;
	size_t count;
	size_t room;
};

static const char *name_of(const struct entry *e)
{
	return strrchr(e->path, '/') + 1;
}

static bool is_pending(const char *name)
{
	return !strncmp(name, ".hybmon-", 8);
}

static int judge(const struct entry *e, uid_t owner)
{
	const char *name = name_of(e);
	const bool pending = is_pending(name);
	struct stat st;
	bool mine, link;

	if (lstat(e->path, &st) || !(S_ISDIR(st.st_mode) || S_ISLNK(st.st_mode)))
		return OTHER;
	link = S_ISLNK(st.st_mode);
	mine = st.st_uid == owner;
	if (!pending && link && stat(e->path, &st) < 0 && strchr(name, '.') && mine)
		return MISSING;
	if (!pending && S_ISDIR(st.st_mode) && hyb_process_is_one(e->path))
		return mine && st.st_uid == owner ? PROCESS : FOREIGN;
	return pending || !strncmp(name, "hybmon-", 7) ? LIKE_ONE : OTHER;
}

/* For hyb_parallel. */
static int look_at(void *arg, size_t i)
{
	struct entries *all = arg;
	struct entry *e = &all->list[i];
	char *path;

	hyb_diag_hold(&e->said);
	e->what = judge(e, all->of->owner);
	if (e->what != PROCESS && e->what != MISSING)
		return 0;
	path = e->path;
	e->path = NULL;
	return hyb_process_open(&e->process, path, all->of->owner, e->what == MISSING, &e->said.diag);
}

static int add_process(struct hyb_experiment *x, size_t *room, const struct hyb_process *process)
{
	struct hyb_process *grown = hyb_array_room(x->processes, room, x->count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	x->processes = grown;
	grown[x->count++] = *process;
	return 0;
}

/* *hint becomes the name of the first that is like one, for those who gave the directory above. */
static int take_entries(struct hyb_experiment *x, struct entries *all, char **hint, const struct hyb_diag *diag)
{
	size_t room = 0;
	int err = 0;

	for (size_t i = 0; !err && i < all->count; i++) {
		struct entry *e = &all->list[i];

		hyb_diag_tell(&e->said, diag);
		switch (e->what) {
		case MISSING:
		case PROCESS:
			err = add_process(x, &room, &e->process);
			if (err)
				break;
			x->missing += e->what == MISSING;
			e->what = OTHER;
			break;
		case FOREIGN:
			note_foreign(x, e->path, diag);
			break;
		case LIKE_ONE:
			if (!*hint)
				*hint = strdup(name_of(e));
			break;
		case OTHER:
			break;
		}
	}
	return err;
}

static void free_entries(struct entries *all)
{
	for (size_t i = 0; i < all->count; i++) {
		struct entry *e = &all->list[i];

		hyb_diag_tell(&e->said, NULL);
		if (e->what == PROCESS || e->what == MISSING)
			hyb_process_free(&e->process);
		free(e->path);
	}
	free(all->list);
}

static int list_entry(struct entries *all, const char *name)
{
	struct entry *grown;

	if (name[0] == '.' && !is_pending(name))
		return 0;
	grown = hyb_array_room(all->list, &all->room, all->count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	all->list = grown;
	grown += all->count;
	memset(grown, 0, sizeof(*grown));
	grown->path = hyb_path_join(all->of->path, name);
	if (!grown->path)
		return -ENOMEM;
	all->count++;
	return 0;
}

static int order(const void *a, const void *b)
{
	const struct hyb_process *x = a, *y = b;
	uint64_t xr = (uint64_t)x->manifest.rank, yr = (uint64_t)y->manifest.rank;
	int cmp;

	/* No rank is -1, hence last. */
	if (xr != yr)
		return xr < yr ? -1 : 1;
	/*
	 * Those whom MPI told their rank, and with it how many there are, before those who have it from the launcher.
	 */
	if ((x->manifest.ranks < 0) != (y->manifest.ranks < 0))
		return x->manifest.ranks < 0 ? 1 : -1;
	cmp = strcmp(x->manifest.host, y->manifest.host);
	if (cmp)
		return cmp;
	if (x->manifest.pid != y->manifest.pid)
		return x->manifest.pid < y->manifest.pid ? -1 : 1;
	return strcmp(x->name, y->name);
}

/*
 * Each rank has one process. OpenMP programs without MPI that ran in front of a rank, or were started by it, have its
 * number from the launcher, too: they are none. True if there were such.
 */
static bool settle_ranks(struct hyb_experiment *x, const struct hyb_diag *diag)
{
	const struct hyb_process *first = NULL;
	bool others = false;

	for (size_t i = 0; i < x->count; i++) {
		struct hyb_process *p = &x->processes[i];

		if (p->manifest.rank < 0)
			break;
		if (!first || p->manifest.rank != first->manifest.rank) {
			first = p;
		} else if (p->manifest.ranks < 0) {
			p->manifest.rank = -1;
			others = true;
		} else {
			hyb_diag_say(diag, HYB_SEV_WARNING,
				     "%s and %s both say that they are rank %lld", first->path, p->path,
				     (long long)p->manifest.rank);
		}
	}
	return others;
}

/*
 * A rank that there cannot be by the process's own words is damage: taken as it is, it would make thousands of others.
 */
static void check_ranks(struct hyb_experiment *x, const struct hyb_diag *diag)
{
	for (size_t i = 0; i < x->count; i++) {
		struct hyb_manifest *m = &x->processes[i].manifest;

		if (m->rank < 0 || m->ranks < 0 || m->rank < m->ranks)
			continue;
		hyb_diag_say(diag, HYB_SEV_WARNING, "%s says that it is rank %lld of %lld: it is taken for a process without a rank",
			     x->processes[i].path, (long long)m->rank, (long long)m->ranks);
		m->rank = -1;
	}
}

static void finish(struct hyb_experiment *x, const struct hyb_diag *diag)
{
	check_ranks(x, diag);
	if (x->count)
		qsort(x->processes, x->count, sizeof(*x->processes), order);
	if (settle_ranks(x, diag))
		qsort(x->processes, x->count, sizeof(*x->processes), order);
	x->ranks = -1;
	for (size_t i = 0; i < x->count; i++) {
		if (x->processes[i].manifest.ranks > x->ranks)
			x->ranks = x->processes[i].manifest.ranks;
	}
}

static void note_nothing(const struct hyb_experiment *x, const char *hint, const struct hyb_diag *diag)
{
	if (hint)
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: is not an experiment; %s/%s in it looks like one", x->path, x->path, hint);
	else
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: is not an experiment: no process recorded anything there", x->path);
}

static int read_directory(struct hyb_experiment *x, const struct hyb_diag *diag)
{
	struct entries all = { .of = x };
	DIR *dir = opendir(x->path);
	char *hint = NULL;
	struct dirent *d;
	int err = 0;

	if (!dir) {
		err = -errno;
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: %s", x->path, strerror(-err));
		return err;
	}
	while (!err && (d = readdir(dir)))
		err = list_entry(&all, d->d_name);
	closedir(dir);
	if (!err)
		err = hyb_parallel(all.count, look_at, &all);
	if (!err)
		err = take_entries(x, &all, &hint, diag);
	if (!err && !x->count) {
		err = -EINVAL;
		note_nothing(x, hint, diag);
	}
	free_entries(&all);
	free(hint);
	return err;
}

const char *hyb_experiment_says(const struct hyb_experiment *x, const char *key)
{
	const char *value;

	for (size_t i = 0; i < x->count; i++) {
		value = hyb_manifest_get(&x->processes[i].manifest, key, 0);
		if (value)
			return value;
	}
	return NULL;
}

/* A rank that MPI gave to a process of each, or -1. Both are in the order of their ranks. */
static int64_t common_rank(const struct hyb_experiment *a, const struct hyb_experiment *b)
{
	size_t i = 0, k = 0;

	while (i < a->count && k < b->count) {
		const struct hyb_manifest *x = &a->processes[i].manifest, *y = &b->processes[k].manifest;

		if (x->rank < 0 || y->rank < 0)
			break;
		if (x->rank == y->rank && x->ranks >= 0 && y->ranks >= 0)
			return x->rank;
		if (x->rank <= y->rank)
			i++;
		else
			k++;
	}
	return -1;
}

bool hyb_experiment_is_part(const struct hyb_experiment *a, const struct hyb_experiment *b, int64_t *rank)
{
	const char *first = hyb_experiment_says(a, "job"), *second = hyb_experiment_says(b, "job");

	*rank = -1;
	if (!first || !second || strcmp(first, second))
		return false;
	*rank = common_rank(a, b);
	return *rank < 0;
}

int hyb_experiment_join(struct hyb_experiment *whole, struct hyb_experiment *part, const struct hyb_diag *diag)
{
	size_t count = whole->count + part->count;
	struct hyb_process *processes = realloc(whole->processes, count * sizeof(*processes));

	if (!processes)
		return -ENOMEM;
	memcpy(processes + whole->count, part->processes, part->count * sizeof(*processes));
	whole->processes = processes;
	whole->count = count;
	whole->missing += part->missing;
	whole->foreign += part->foreign;
	part->count = 0;
	hyb_experiment_close(part);
	finish(whole, diag);
	return 0;
}

/* A manifest that lies there by itself is of nothing. */
static int refuse_empty(const struct hyb_experiment *x, const struct hyb_diag *diag)
{
	if (x->processes[0].defs || x->processes[0].stream_count)
		return 0;
	hyb_diag_say(diag, HYB_SEV_ERROR,
		     "%s: is not an experiment: there is the manifest of a process, and nothing that it recorded",
		     x->path);
	return -EINVAL;
}

static void note_manifest(const struct hyb_experiment *x, const struct hyb_diag *diag)
{
	enum hyb_title title = hyb_title_of(x->path);

	if (title == HYB_TITLE_PROCESS || title == HYB_TITLE_OTHERS)
		hyb_diag_say(diag, HYB_SEV_WARNING,
			     "%s/manifest: is not the manifest of an experiment, so it is passed over", x->path);
}

/* The experiment's path is of one process. */
static int open_single(struct hyb_experiment *x, const struct hyb_diag *diag)
{
	struct hyb_process process;
	char *path = strdup(x->path);
	size_t room = 0;
	int err;

	if (!path)
		return -ENOMEM;
	err = hyb_process_open(&process, path, x->owner, false, diag);
	if (!err)
		err = add_process(x, &room, &process);
	if (err)
		hyb_process_free(&process);
	return err ? err : refuse_empty(x, diag);
}

/* All of it is of another version: one line says so, instead of one for each file. */
static int refuse_version(const struct hyb_experiment *x, const struct hyb_diag *diag)
{
	int other = -1;

	for (size_t i = 0; i < x->count; i++) {
		const struct hyb_process *p = &x->processes[i];
		int major = p->defs ? hyb_stream_major(p->defs, p->owner) : -ENOENT;

		if (major < 0 && p->stream_count)
			major = hyb_stream_major(p->streams->path, p->owner);
		if (major == HYB_FORMAT_MAJOR)
			return 0;
		if (major >= 0)
			other = major;
	}
	if (other < 0)
		return 0;
	hyb_diag_say(diag, HYB_SEV_ERROR, "%s: was recorded in format %d, and this hybmon reads format %d: use %s hybmon",
		     x->path, other, HYB_FORMAT_MAJOR, other > HYB_FORMAT_MAJOR ? "a newer" : "an older");
	return -EPROTONOSUPPORT;
}

int hyb_experiment_open(const char *path, const struct hyb_diag *diag,
			struct hyb_experiment **experiment)
{
	struct hyb_experiment *x = calloc(1, sizeof(*x));
	int err = -ENOMEM;
	size_t length;

	if (!x)
		return -ENOMEM;
	x->path = strdup(path);
	if (!x->path)
		goto err_close;
	for (length = strlen(x->path); length > 1 && x->path[length - 1] == '/'; length--)
		x->path[length - 1] = 0;
	err = hyb_file_owner(x->path, &x->owner);
	if (err) {
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: %s", x->path, strerror(-err));
		goto err_close;
	}
	x->single = hyb_process_is_one(x->path) && !has_processes(x->path);
	if (x->single) {
		err = open_single(x, diag);
	} else {
		err = read_directory(x, diag);
		if (!err)
			note_manifest(x, diag);
	}
	if (!err)
		err = refuse_version(x, diag);
	if (err)
		goto err_close;
	finish(x, diag);
	*experiment = x;
	return 0;

err_close:
	hyb_experiment_close(x);
	return err;
}

/* The umask can only be read by changing it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Those who may read it: a directory's names, too, and what they are of. */
static mode_t readers_of(const char *path)
{
	struct stat st;
	mode_t who = S_IRWXG | S_IRWXO;

	if (!path || stat(path, &st))
		return who;
	if (!(st.st_mode & S_IRGRP) || (S_ISDIR(st.st_mode) && !(st.st_mode & S_IXGRP)))
		who &= ~(mode_t)S_IRWXG;
	if (!(st.st_mode & S_IROTH) || (S_ISDIR(st.st_mode) && !(st.st_mode & S_IXOTH)))
		who &= ~(mode_t)S_IRWXO;
	return who;
}

void hyb_experiment_keep_private(const struct hyb_experiment *x)
{
	mode_t who = readers_of(x->path), old;

	for (size_t i = 0; i < x->count; i++) {
		const struct hyb_process *p = &x->processes[i];

		who &= readers_of(p->path) & readers_of(p->defs);
		/* A process makes all of its streams alike. */
		if (p->stream_count)
			who &= readers_of(p->streams->path);
	}
	pthread_mutex_lock(&lock);
	old = umask(077);
	umask(old | ((S_IRWXG | S_IRWXO) & ~who));
	pthread_mutex_unlock(&lock);
}

mode_t hyb_experiment_umask(void)
{
	mode_t mask;

	pthread_mutex_lock(&lock);
	mask = umask(077);
	umask(mask);
	pthread_mutex_unlock(&lock);
	return mask;
}

void hyb_experiment_close(struct hyb_experiment *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->count; i++)
		hyb_process_free(&x->processes[i]);
	free(x->processes);
	free(x->path);
	free(x);
}
