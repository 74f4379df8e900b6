/* SPDX-License-Identifier: BSD-3-Clause */
/* One output of many tracks; see parts.h. */
#include "merge/sink/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "reader/containers/array.h"
#include "merge/merge.h"

#define COPY_SIZE (1u << 20) /* so often it is looked whether to stop */

static char *path_of(const struct hyb_sink *s, size_t index)
{
	char *path;

	return asprintf(&path, "%s/%s.%zu", s->m->output.tmp, s->name, index) < 0 ? NULL : path;
}

/* Of several threads that fail one says so. The merge itself says that memory is short, and that it was interrupted. */
static int fail(struct hyb_sink *s, const char *name, int err)
{
	bool said = err == -ENOMEM || err == -EINTR;

	if (!said && !__atomic_exchange_n(&s->failed, true, __ATOMIC_RELAXED))
		hyb_diag_say(s->m->options.diag, HYB_SEV_ERROR, "cannot write %s%s%s: %s", name ? name : "to the standard output",
			     name ? " in " : "", name ? s->m->out : "", strerror(-err));
	return err;
}

int hyb_parts_begin(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink)
{
	struct hyb_sink *new = calloc(1, sizeof(*new));

	if (!new)
		return -ENOMEM;
	new->ops = ops;
	new->m = m;
	new->name = hyb_sink_main_part(ops);
	pthread_mutex_init(&new->lock, NULL);
	*sink = new;
	return 0;
}

void hyb_parts_free(struct hyb_sink *s)
{
	pthread_mutex_destroy(&s->lock);
	free(s->infos);
	free(s);
}

int hyb_part_open(struct hyb_sink *s, const struct hyb_track *track, size_t size, void **part)
{
	struct hyb_track_part *new = calloc(1, size);

	if (!new)
		return -ENOMEM;
	new->sink = s;
	new->start = s->m->start;
	new->info.track = *track;
	*part = new;
	return 0;
}

static int write_all(int fd, const char *bytes, size_t size)
{
	ssize_t n;

	while (size) {
		n = write(fd, bytes, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes += n;
		size -= (size_t)n;
	}
	return 0;
}

/* The file is open for so long only: a node's CPUs are told all at once. */
static int append(struct hyb_track_part *part, const char *bytes, size_t size)
{
	char *path = path_of(part->sink, part->info.track.index);
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | (part->info.written ? 0 : O_EXCL), fd, ret;

	if (!path)
		return -ENOMEM;
	fd = open(path, flags, 0600);
	free(path);
	if (fd < 0)
		return fail(part->sink, part->sink->name, -errno);
	part->info.written = true;
	ret = write_all(fd, bytes, size);
	if (close(fd) && !ret)
		ret = -errno;
	return ret ? fail(part->sink, part->sink->name, ret) : 0;
}

int hyb_part_flush(struct hyb_track_part *part)
{
	int ret = part->used ? append(part, part->buffer, part->used) : 0;

	part->used = 0;
	return ret;
}

int hyb_part_write(struct hyb_track_part *part, const void *bytes, size_t size)
{
	int ret = hyb_part_room(part, size < HYB_PART_SIZE ? size : HYB_PART_SIZE);

	if (ret)
		return ret;
	if (size > HYB_PART_SIZE)
		return append(part, bytes, size);
	memcpy(part->buffer + part->used, bytes, size);
	part->used += size;
	return 0;
}

static int keep(struct hyb_sink *s, const struct hyb_track_info *info)
{
	struct hyb_track_info *grown = hyb_array_room(s->infos, &s->room, s->count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	s->infos = grown;
	s->infos[s->count++] = *info;
	return 0;
}

int hyb_part_close(void *closed, uint64_t *events)
{
	struct hyb_track_part *part = closed;
	struct hyb_sink *s = part->sink;
	int ret = hyb_part_flush(part), err;

	*events = part->info.events;
	pthread_mutex_lock(&s->lock);
	err = keep(s, &part->info);
	pthread_mutex_unlock(&s->lock);
	free(part);
	return ret ? ret : err;
}

static int by_index(const void *a, const void *b)
{
	size_t x = ((const struct hyb_track_info *)a)->track.index,
	       y = ((const struct hyb_track_info *)b)->track.index;

	return x < y ? -1 : x > y;
}

/* What sendfile does not do: append to a file that is open for appending, for one. */
static ssize_t copy_some(int from, int to)
{
	char buffer[16384];
	ssize_t n = read(from, buffer, sizeof(buffer));
	int ret = n > 0 ? write_all(to, buffer, (size_t)n) : 0;

	errno = ret ? -ret : errno;
	return ret ? -1 : n;
}

static int copy(int from, int to, const volatile sig_atomic_t *stop)
{
	bool simply = false;
	ssize_t n = 1;

	while (n) {
		if (*stop)
			return -EINTR;
		n = simply ? copy_some(from, to) : sendfile(to, from, NULL, COPY_SIZE);
		if (n >= 0 || errno == EINTR)
			continue;
		if (simply || (errno != EINVAL && errno != ENOSYS))
			return -errno;
		simply = true;
	}
	return 0;
}

static int append_one(const struct hyb_sink *s, size_t index, int fd)
{
	char *path = path_of(s, index);
	int from = path ? open(path, O_RDONLY | O_CLOEXEC) : -1, ret = path ? 0 : -ENOMEM;

	if (path && from < 0)
		ret = -errno;
	if (!ret) {
		ret = copy(from, fd, s->m->options.stop);
		close(from);
	}
	/* Space is needed twice for one part only. */
	if (!ret && unlink(path))
		ret = -errno;
	free(path);
	return ret;
}

static int write_out(struct hyb_sink *s, FILE *to)
{
	size_t i;
	int ret;

	if (s->count)
		qsort(s->infos, s->count, sizeof(*s->infos), by_index);
	ret = s->ops->define(s, to);
	if (!ret && (fflush(to) || ferror(to)))
		ret = -errno;
	for (i = 0; !ret && i < s->count; i++)
		if (s->infos[i].written)
			ret = append_one(s, s->infos[i].track.index, fileno(to));
	return ret;
}

static FILE *open_output(const struct hyb_sink *s)
{
	int fd = s->m->options.to_stdout ? dup(STDOUT_FILENO) : -1;
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
	char *path;

	if (s->m->options.to_stdout)
		return to;
	if (asprintf(&path, "%s/%s", s->m->output.tmp, s->name) < 0)
		return NULL;
	to = fopen(path, "we");
	free(path);
	return to;
}

int hyb_parts_end(struct hyb_sink *s)
{
	const char *name = s->m->options.to_stdout ? NULL : s->name;
	FILE *to = open_output(s);
	int ret;

	if (!to)
		return fail(s, name, -errno);
	s->start = s->m->start;
	ret = write_out(s, to);
	if (fclose(to) && !ret)
		ret = -errno;
	return ret ? fail(s, name, ret) : 0;
}
