/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an experiment has on disk; see experiment.h. Names decide, manifests are read, streams are
 * not.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/experiment.h"
#include "containers/array.h"

static char *join(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

/* What may not be looked at counts as there: better reported than passed over. */
static bool exists(const char *dir, const char *name)
{
	char *path = join(dir, name);
	bool yes = path && (!access(path, F_OK) || errno == EACCES);

	free(path);
	return yes;
}

enum title { NO_MANIFEST, OF_PROCESS, OF_EXPERIMENT, OF_OTHERS, UNREADABLE };

/* By its first line: processes have manifests, and experiments. */
static enum title title_of(const char *dir)
{
	static const char process[] = "hybmon process manifest ", experiment[] = "hybmon experiment manifest ";
	char *path = join(dir, "manifest");
	char text[sizeof(experiment)] = "";
	int fd = path ? hyb_file_open(path, HYB_OWNER_ANY, HYB_MANIFEST_MAX) : -ENOMEM;
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

	if (fd >= 0)
		close(fd);
	free(path);
	if (n < 0)
		return fd == -EACCES ? UNREADABLE : NO_MANIFEST;
	if (!strncmp(text, process, sizeof(process) - 1))
		return OF_PROCESS;
	return strcmp(text, experiment) ? OF_OTHERS : OF_EXPERIMENT;
}

static bool is_process(const char *dir)
{
	enum title title = exists(dir, "defs.hyb") ? OF_PROCESS : title_of(dir);

	return title == OF_PROCESS || title == UNREADABLE;
}

/* Whether it has processes in it: then it is an experiment, whatever lies beside them. */
static bool has_processes(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	bool yes = false;
	char *name;

	while (dir && !yes && (d = readdir(dir))) {
		name = *d->d_name == '.' ? NULL : join(path, d->d_name);
		yes = name && is_process(name);
		free(name);
	}
	if (dir)
		closedir(dir);
	return yes;
}

/* True for `<prefix>N.hyb` with N as the writer spells it. */
static bool stream_number(const char *name, const char *prefix, uint32_t *number)
{
	size_t length = strlen(prefix);
	unsigned long n;
	char *end;

	if (strncmp(name, prefix, length) || name[length] < '0' || name[length] > '9')
		return false;
	errno = 0;
	n = strtoul(name + length, &end, 10);
	if (errno || n > UINT32_MAX || strcmp(end, ".hyb"))
		return false;
	*number = (uint32_t)n;
	return true;
}

static int add_stream(struct hyb_process *p, size_t *room, const char *name)
{
	struct hyb_stream_file file = { .kind = HYB_STREAM_THREAD };
	struct hyb_stream_file *streams;

	if (stream_number(name, "cpu-", &file.number))
		file.kind = HYB_STREAM_CPU;
	else if (stream_number(name, "task-", &file.number))
		file.kind = HYB_STREAM_TASK;
	else if (stream_number(name, "sample-", &file.number))
		file.kind = HYB_STREAM_SAMPLE;
	else if (!stream_number(name, "thread-", &file.number))
		return 0;
	streams = hyb_array_room(p->streams, room, p->stream_count, sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	p->streams = streams;
	file.path = join(p->path, name);
	if (!file.path)
		return -ENOMEM;
	p->streams[p->stream_count++] = file;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct hyb_stream_file *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int list_streams(struct hyb_process *p, const struct hyb_diag *diag)
{
	DIR *dir = hyb_file_directory(p->path, p->owner);
	struct dirent *d;
	size_t room = 0;
	int err = 0;

	if (!dir) {
		hyb_diag_say(diag, HYB_SEV_WARNING,
			     "%s: cannot be read, so its events are missing: %s", p->path,
			     hyb_file_error(errno));
		return 0;
	}
	while (!err && (d = readdir(dir))) {
		if (!strcmp(d->d_name, "defs.hyb") && !p->defs) {
			p->defs = join(p->path, d->d_name);
			err = p->defs ? 0 : -ENOMEM;
		} else {
			err = add_stream(p, &room, d->d_name);
		}
	}
	closedir(dir);
	if (p->stream_count)
		qsort(p->streams, p->stream_count, sizeof(*p->streams), by_number);
	return err;
}

static int read_manifest(struct hyb_process *p, const struct hyb_diag *diag)
{
	char *path = join(p->path, "manifest");
	int err;

	if (!path)
		return -ENOMEM;
	err = hyb_manifest_read(path, p->owner, diag, &p->manifest);
	p->has_manifest = !err;
	if (err == -ENOENT)
		hyb_diag_say(diag, HYB_SEV_WARNING,
			     "%s: there is no manifest: rank and host of these streams are unknown",
			     p->path);
	free(path);
	return err == -ENOMEM ? err : 0;
}

/* The process whose directory is at path, which p takes over. */
static int load_process(struct hyb_process *p, const struct hyb_diag *diag)
{
	int err = read_manifest(p, diag);

	return err ? err : list_streams(p, diag);
}

/* A link to a place that is not here: the process's node still has it. */
static int note_missing(struct hyb_process *p, const struct hyb_diag *diag)
{
	char target[PATH_MAX];
	ssize_t n = readlink(p->path, target, sizeof(target) - 1);

	hyb_manifest_init(&p->manifest);
	target[n > 0 ? n : 0] = 0;
	p->missing = strdup(target);
	if (!p->missing)
		return -ENOMEM;
	hyb_diag_say(
		diag, HYB_SEV_WARNING,
		"%s: its streams are at %s, which is not on this machine: run this on the node "
		"named in front of the dot, or copy that directory here in place of the link",
		p->path, target);
	return 0;
}

static int add_process(struct hyb_experiment *x, size_t *room, char *path, bool missing,
		       const struct hyb_diag *diag)
{
	struct hyb_process *p = hyb_array_room(x->processes, room, x->count, sizeof(*p));

	if (!p) {
		free(path);
		return -ENOMEM;
	}
	x->processes = p;
	p = &x->processes[x->count++];
	memset(p, 0, sizeof(*p));
	p->path = path;
	p->owner = x->owner;
	p->name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	x->missing += missing;
	return missing ? note_missing(p, diag) : load_process(p, diag);
}

/* One line is enough: others may make any number of them. */
static void note_foreign(struct hyb_experiment *x, const char *path, const struct hyb_diag *diag)
{
	if (!x->foreign++)
		hyb_diag_say(diag, HYB_SEV_WARNING,
			     "%s: belongs to another user than the experiment, so it is left out, "
			     "and whatever else does", path);
}

/*
 * One entry of an experiment's directory. *hint becomes the name of one that looks like an
 * experiment or a pending process itself, for those who gave the directory above.
 */
static int add_entry(struct hyb_experiment *x, size_t *room, const char *name, char **hint,
		     const struct hyb_diag *diag)
{
	bool pending = !strncmp(name, ".hybmon-", 8);
	struct stat st;
	bool mine;
	char *path;

	if (name[0] == '.' && !pending)
		return 0;
	path = join(x->path, name);
	if (!path)
		return -ENOMEM;
	if (!lstat(path, &st) && (S_ISDIR(st.st_mode) || S_ISLNK(st.st_mode))) {
		bool link = S_ISLNK(st.st_mode);

		mine = st.st_uid == x->owner;
		if (!pending && link && stat(path, &st) < 0 && strchr(name, '.') && mine)
			return add_process(x, room, path, true, diag);
		mine = mine && st.st_uid == x->owner;
		if (!pending && S_ISDIR(st.st_mode) && is_process(path)) {
			if (mine)
				return add_process(x, room, path, false, diag);
			note_foreign(x, path, diag);
		}
		if (!*hint && (pending || !strncmp(name, "hybmon-", 7)))
			*hint = strdup(name);
	}
	free(path);
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

static int read_directory(struct hyb_experiment *x, const struct hyb_diag *diag)
{
	DIR *dir = opendir(x->path);
	char *hint = NULL;
	struct dirent *d;
	size_t room = 0;
	int err = 0;

	if (!dir) {
		err = -errno;
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: %s", x->path, strerror(-err));
		return err;
	}
	while (!err && (d = readdir(dir)))
		err = add_entry(x, &room, d->d_name, &hint, diag);
	closedir(dir);
	if (!err && !x->count) {
		err = -EINVAL;
		if (hint)
			hyb_diag_say(diag, HYB_SEV_ERROR,
				     "%s: is not an experiment; %s/%s in it looks like one",
				     x->path, x->path, hint);
		else
			hyb_diag_say(diag, HYB_SEV_ERROR,
				     "%s: is not an experiment: no process recorded anything there",
				     x->path);
	}
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
	enum title title = title_of(x->path);

	if (title == OF_PROCESS || title == OF_OTHERS)
		hyb_diag_say(diag, HYB_SEV_WARNING,
			     "%s/manifest: is not the manifest of an experiment, so it is passed over", x->path);
}

int hyb_experiment_open(const char *path, const struct hyb_diag *diag,
			struct hyb_experiment **experiment)
{
	struct hyb_experiment *x = calloc(1, sizeof(*x));
	size_t room = 0, length;
	char *copy;
	int err = -ENOMEM;

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
	x->single = is_process(x->path) && !has_processes(x->path);
	if (x->single) {
		copy = strdup(x->path);
		err = copy ? add_process(x, &room, copy, false, diag) : -ENOMEM;
		if (!err)
			err = refuse_empty(x, diag);
	} else {
		err = read_directory(x, diag);
		if (!err)
			note_manifest(x, diag);
	}
	if (err)
		goto err_close;
	finish(x, diag);
	*experiment = x;
	return 0;

err_close:
	hyb_experiment_close(x);
	return err;
}

void hyb_experiment_close(struct hyb_experiment *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->count; i++) {
		struct hyb_process *p = &x->processes[i];

		for (size_t s = 0; s < p->stream_count; s++)
			free(p->streams[s].path);
		free(p->streams);
		free(p->defs);
		free(p->missing);
		free(p->path);
		hyb_manifest_free(&p->manifest);
	}
	free(x->processes);
	free(x->path);
	free(x);
}
