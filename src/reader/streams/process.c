/* SPDX-License-Identifier: BSD-3-Clause */
/* See process.h. */
#include "reader/streams/process.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/containers/array.h"
#include "reader/streams/file.h"

char *hyb_path_join(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

/* What may not be looked at counts as there: better reported than passed over. */
static bool exists(const char *dir, const char *name)
{
	char *path = hyb_path_join(dir, name);
	bool yes = path && (!access(path, F_OK) || errno == EACCES);

	free(path);
	return yes;
}

/* By its first line: processes have manifests, and experiments. */
enum hyb_title hyb_title_of(const char *dir)
{
	static const char process[] = "hybmon process manifest ", experiment[] = "hybmon experiment manifest ";
	char *path = hyb_path_join(dir, "manifest");
	char text[sizeof(experiment)] = "";
	int fd = path ? hyb_file_open(path, HYB_OWNER_ANY, HYB_MANIFEST_MAX) : -ENOMEM;
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

	if (fd >= 0)
		close(fd);
	free(path);
	if (n < 0)
		return fd == -EACCES ? HYB_TITLE_UNREADABLE : HYB_TITLE_NONE;
	if (!strncmp(text, process, sizeof(process) - 1))
		return HYB_TITLE_PROCESS;
	return strcmp(text, experiment) ? HYB_TITLE_OTHERS : HYB_TITLE_EXPERIMENT;
}

bool hyb_process_is_one(const char *dir)
{
	enum hyb_title title = exists(dir, "defs.hyb") ? HYB_TITLE_PROCESS : hyb_title_of(dir);

	return title == HYB_TITLE_PROCESS || title == HYB_TITLE_UNREADABLE;
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
	file.path = hyb_path_join(p->path, name);
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
			p->defs = hyb_path_join(p->path, d->d_name);
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
	char *path = hyb_path_join(p->path, "manifest");
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

int hyb_process_open(struct hyb_process *p, char *path, uid_t owner, bool missing, const struct hyb_diag *diag)
{
	memset(p, 0, sizeof(*p));
	p->path = path;
	p->owner = owner;
	p->name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	return missing ? note_missing(p, diag) : load_process(p, diag);
}

void hyb_process_free(struct hyb_process *p)
{
	for (size_t s = 0; s < p->stream_count; s++)
		free(p->streams[s].path);
	free(p->streams);
	free(p->defs);
	free(p->missing);
	free(p->path);
	hyb_manifest_free(&p->manifest);
}
