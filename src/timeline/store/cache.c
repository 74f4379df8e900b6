/* SPDX-License-Identifier: BSD-3-Clause */
/* See cache.h. */
#include "timeline/store/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/containers/array.h"
#include "reader/containers/parallel.h"
#include "reader/streams/experiment.h"
#include "timeline/store/compress.h"
#include "timeline/store/io.h"
#include "timeline/store/read.h"

#define FORMAT 5u /* of the file: another one where anything in it changes, or who may read it */

#define TABLES 7u

static const char magic[8] = "HYBVIEW";

struct head {
	char magic[8];
	uint32_t format;
	uint32_t regions;
	uint64_t print[2];
	uint64_t check; /* of the tables, and of all that follows here */
	int64_t start;
	uint64_t length;
	uint64_t message_count;
	uint64_t tables;    /* where they begin */
	uint64_t counts[TABLES]; /* of the tables, in their order */
};

struct file_track {
	uint64_t location;
	uint64_t process;
	uint64_t thread;
	uint64_t node;
	uint64_t cpu;
	uint64_t segments; /* without the last one */
	uint64_t late;
	uint64_t count;
	uint64_t begin;
	uint64_t end;
	uint32_t kind;
	uint32_t depth;
	struct hyb_view_whole whole;
};

struct file_curve {
	uint64_t track;
	uint64_t stretches; /* without the last one */
};

static const size_t sizes[TABLES] = {
	sizeof(struct file_track),     sizeof(struct hyb_view_segment), sizeof(struct hyb_view_late),
	sizeof(struct hyb_view_batch), sizeof(struct file_curve),	sizeof(struct hyb_view_stretch), 1,
};

/* ---- of which recording ---- */

static void mix(uint64_t print[2], const void *data, size_t size)
{
	print[0] = hyb_mix(print[0] ^ hyb_hash_bytes(data, size));
	print[1] = hyb_mix(print[1] + print[0]);
}

/* Directories in an experiment's, and what their files come to. */
struct name {
	char *name;
	struct hyb_view_print sum;
};

struct names {
	int in; /* the experiment's */
	struct name *list;
	size_t count;
	size_t room;
};

static int add_name(struct names *n, const char *name)
{
	struct name *grown = hyb_array_room(n->list, &n->room, n->count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	n->list = grown;
	grown[n->count] = (struct name){ .name = strdup(name) };
	if (!grown[n->count].name)
		return -ENOMEM;
	n->count++;
	return 0;
}

static bool is_later(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

static void add_up(struct hyb_view_print *to, const struct hyb_view_print *from)
{
	to->is[0] += from->is[0];
	to->is[1] += from->is[1];
	if (is_later(from->changed, to->changed))
		to->changed = from->changed;
	if (is_later(from->written, to->written))
		to->written = from->written;
}

/* The order in which a directory has its names may be another one the next time, so they are added up. */
static void add_file(struct hyb_view_print *sum, const char *name, const struct stat *st)
{
	struct hyb_view_print own = { .changed = st->st_ctim, .written = st->st_mtim };
	const uint64_t facts[3] = { (uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec,
				    (uint64_t)st->st_mtim.tv_nsec };

	mix(own.is, name, strlen(name));
	mix(own.is, facts, sizeof(facts));
	add_up(sum, &own);
}

/* What lies in the directory; `below`, unless it is NULL, gets the names of those that lie in it. */
static int add_directory(int parent, const char *name, struct hyb_view_print *sum, struct names *below)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	struct stat st;

	if (!dir) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    !strncmp(e->d_name, "view", 4) || fstatat(fd, e->d_name, &st, 0))
			continue;
		if (S_ISREG(st.st_mode))
			add_file(sum, e->d_name, &st);
		else if (S_ISDIR(st.st_mode) && below)
			err = add_name(below, e->d_name);
	}
	closedir(dir);
	return err;
}

/* For hyb_parallel: what lies in a directory of the experiment. One that cannot be read has nothing in it. */
static int add_below(void *arg, size_t i)
{
	struct names *all = arg;
	struct name *n = &all->list[i];

	add_directory(all->in, n->name, &n->sum, NULL);
	mix(n->sum.is, n->name, strlen(n->name));
	return 0;
}

static int add_experiment(const char *dir, struct hyb_view_print *print)
{
	struct names below = { .in = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	struct hyb_view_print sum = { .is = { 0 } };
	int err = below.in < 0 ? -errno : add_directory(below.in, ".", &sum, &below);

	if (!err)
		err = hyb_parallel(below.count, add_below, &below);
	for (size_t i = 0; i < below.count; i++) {
		add_up(&sum, &below.list[i].sum);
		free(below.list[i].name);
	}
	free(below.list);
	if (below.in >= 0)
		close(below.in);
	add_up(print, &sum);
	return err;
}

int hyb_view_fingerprint(const char *const *dirs, size_t count, struct hyb_view_print *print)
{
	static const char version[] = PACKAGE_VERSION;
	int err = 0;

	*print = (struct hyb_view_print){ .is = { FORMAT, FORMAT } };
	mix(print->is, version, sizeof(version));
	/* Another build may pack in another way. */
	mix(print->is, hyb_view_compression, strlen(hyb_view_compression));
	for (size_t i = 0; !err && i < count; i++) {
		mix(print->is, &i, sizeof(i));
		err = add_experiment(dirs[i], print);
	}
	return err;
}

/* ---- writing ---- */

/* "DIR/view.cache" to "DIR". */
static int directory_of(const char *path, char dir[PATH_MAX])
{
	const char *slash = strrchr(path, '/');

	if (strlen(path) + 16 >= PATH_MAX)
		return -ENAMETOOLONG;
	snprintf(dir, PATH_MAX, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
	return 0;
}

int hyb_view_cache_make(const char *path)
{
	char dir[PATH_MAX];
	int fd = directory_of(path, dir);

	if (fd)
		return fd;
	/* Who else may read it is known once the recording is. */
	fd = open(*dir ? dir : "/", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

/* The tables, as they lie in the file. */
struct tables {
	struct head head;
	char *bytes;
	size_t size;
};

static void put(struct tables *t, unsigned int table, const void *data, size_t count)
{
	const size_t size = count * sizes[table];

	if (size)
		memcpy(t->bytes + t->size, data, size);
	t->size += size;
	t->head.counts[table] += count;
}

static struct file_track track_of(const struct hyb_view_track *t)
{
	return (struct file_track){
		.location = t->track.location,
		.process = t->track.process,
		.thread = t->track.thread,
		.node = t->track.node,
		.cpu = t->track.cpu,
		.segments = t->segment_count,
		.late = t->late_count,
		.count = t->count,
		.begin = t->begin,
		.end = t->end,
		.kind = t->track.kind,
		.depth = t->depth,
		.whole = t->whole,
	};
}

static int make_tables(const struct hyb_view_store *s, struct tables *t)
{
	static const struct hyb_view_segment none;
	size_t size = s->batches.count * sizes[3] + s->about_size, i;

	for (i = 0; i < s->track_count; i++)
		size += sizes[0] + (s->tracks[i].segment_count + 1) * sizes[1] +
			s->tracks[i].late_count * sizes[2];
	for (i = 0; i < s->curve_count; i++)
		size += sizes[4] + (s->curves[i].count + 1) * sizes[5];
	t->bytes = malloc(size);
	if (!t->bytes)
		return -ENOMEM;
	for (i = 0; i < s->track_count; i++) {
		struct file_track track = track_of(&s->tracks[i]);

		put(t, 0, &track, 1);
	}
	for (i = 0; i < s->track_count; i++)
		put(t, 1, s->tracks[i].segments ? s->tracks[i].segments : &none,
		    s->tracks[i].segment_count + 1);
	for (i = 0; i < s->track_count; i++)
		put(t, 2, s->tracks[i].late, s->tracks[i].late_count);
	put(t, 3, s->batches.list, s->batches.count);
	for (i = 0; i < s->curve_count; i++) {
		const struct file_curve curve = { s->curves[i].track, s->curves[i].count };

		put(t, 4, &curve, 1);
	}
	for (i = 0; i < s->curve_count; i++)
		put(t, 5, s->curves[i].stretches, s->curves[i].count + 1);
	put(t, 6, s->about, s->about_size);
	return 0;
}

static uint64_t check_of(const struct head *h, const char *tables, size_t size)
{
	struct head own = *h;

	own.check = 0;
	return hyb_hash_bytes(&own, sizeof(own)) ^ hyb_mix(hyb_hash_bytes(tables, size));
}

/* Under another name first, since a link replaces none. */
static int name_file(int fd, const char *path)
{
	char own[64], temporary[PATH_MAX];
	int err = 0;

	snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
	if (snprintf(temporary, sizeof(temporary), "%s.%ld", path, (long)getpid()) >=
	    (int)sizeof(temporary))
		return -ENAMETOOLONG;
	unlink(temporary);
	if (linkat(AT_FDCWD, own, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW))
		return -errno;
	if (rename(temporary, path)) {
		err = -errno;
		unlink(temporary);
	}
	return err;
}

/* As any file that the process makes: its umask has what the recording allows (hyb_experiment_keep_private). */
static void show_to_readers(int fd)
{
	fchmod(fd, 0666 & ~hyb_experiment_umask());
}

int hyb_view_cache_keep(struct hyb_view_store *s, const uint64_t print[2], const char *path)
{
	struct tables t = { .head = { .format = FORMAT,
				      .regions = s->regions,
				      .start = s->start,
				      .length = s->length,
				      .message_count = s->message_count,
				      .tables = s->size } };
	int err = make_tables(s, &t);

	memcpy(t.head.magic, magic, sizeof(magic));
	memcpy(t.head.print, print, sizeof(t.head.print));
	if (!err) {
		t.head.check = check_of(&t.head, t.bytes, t.size);
		err = hyb_view_write_at(s->fd, t.bytes, t.size, s->size);
	}
	if (!err)
		err = hyb_view_write_at(s->fd, &t.head, sizeof(t.head), 0);
	free(t.bytes);
	if (!err)
		show_to_readers(s->fd);
	return err ? err : name_file(s->fd, path);
}

/* ---- reading ---- */

static bool takes(uint64_t *left, uint64_t count, size_t size)
{
	if (count > *left / size)
		return false;
	*left -= count * size;
	return true;
}

static int read_head(int fd, const uint64_t print[2], struct head *h, uint64_t *size)
{
	struct stat st;
	uint64_t left;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)HYB_VIEW_HEAD ||
	    hyb_view_read_at(fd, h, sizeof(*h), 0) || memcmp(h->magic, magic, sizeof(magic)))
		return -EINVAL;
	if (h->format != FORMAT || memcmp(h->print, print, sizeof(h->print)))
		return -ENOENT;
	*size = (uint64_t)st.st_size;
	if (h->tables < HYB_VIEW_HEAD || h->tables > *size || h->tables % 8)
		return -EINVAL;
	left = *size - h->tables;
	for (unsigned int i = 0; i < TABLES; i++)
		if (!takes(&left, h->counts[i], sizes[i]))
			return -EINVAL;
	return left || !h->counts[6] ? -EINVAL : 0;
}

static bool lies_in(const struct head *h, uint64_t offset, uint64_t size)
{
	return offset >= HYB_VIEW_HEAD && offset <= h->tables && size <= h->tables - offset;
}

static bool is_segment_good(const struct head *h, const struct hyb_view_segment *s, uint64_t first,
			    bool last_one)
{
	return (last_one || (s->count && s->count <= HYB_VIEW_SEGMENT && s->size &&
			     lies_in(h, s->offset, s->size))) &&
	       s->class < HYB_VIEW_CLASSES && s->open <= first && s->last >= s->time;
}

/* What of the tables no track has taken so far. */
struct rest {
	struct hyb_view_segment *segments;
	uint64_t segment_count;
	struct hyb_view_late *late;
	uint64_t late_count;
};

static bool are_segments_good(const struct head *h, const struct hyb_view_track *t)
{
	const struct hyb_view_segment *s = t->segments;
	uint64_t count = 0;

	for (uint64_t i = 0; i <= t->segment_count; i++) {
		const bool last_one = i == t->segment_count;

		if (!is_segment_good(h, &s[i], i * HYB_VIEW_SEGMENT, last_one) ||
		    (i && s[i].time < s[i - 1].last) ||
		    (i + 1 < t->segment_count && s[i].count != HYB_VIEW_SEGMENT))
			return false;
		count += last_one ? 0 : s[i].count;
	}
	return count == t->count;
}

static bool is_whole_good(const struct head *h, const struct hyb_view_whole *w)
{
	if (w->parts > HYB_VIEW_WHOLE_PARTS || w->level > 63)
		return false;
	for (uint32_t i = 0; i < w->parts; i++)
		if (!lies_in(h, w->offset[i], w->size[i]))
			return false;
	return true;
}

static bool take_track(const struct head *h, const struct file_track *f, struct rest *rest,
		       struct hyb_view_track *t)
{
	if (f->segments >= rest->segment_count || f->late > rest->late_count ||
	    f->depth > f->count || f->end > h->length || !is_whole_good(h, &f->whole))
		return false;
	*t = (struct hyb_view_track){
		.track = { .kind = (enum hyb_track_kind)f->kind,
			   .location = f->location,
			   .process = f->process,
			   .thread = f->thread,
			   .node = f->node,
			   .cpu = f->cpu },
		.segments = rest->segments,
		.segment_count = f->segments,
		.late = rest->late,
		.late_count = f->late,
		.count = f->count,
		.begin = f->begin,
		.end = f->end,
		.depth = f->depth,
		.whole = f->whole,
	};
	rest->segments += f->segments + 1;
	rest->segment_count -= f->segments + 1;
	rest->late += f->late;
	rest->late_count -= f->late;
	return are_segments_good(h, t);
}

static bool are_batches_good(const struct head *h, const struct hyb_view_batch *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!list[i].count || list[i].count > HYB_VIEW_BATCH ||
		    !lies_in(h, list[i].offset, list[i].size))
			return false;
	return true;
}

static bool are_stretches_good(const struct head *h, const struct hyb_view_curve *c)
{
	const struct hyb_view_stretch *s = c->stretches;

	for (size_t i = 0; i < c->count; i++)
		if (!s[i].count || s[i].count > HYB_VIEW_VALUES || !s[i].size || !lies_in(h, s[i].offset, s[i].size) ||
		    (i + 1 < c->count && s[i].count != HYB_VIEW_VALUES) || s[i + 1].time < s[i].time)
			return false;
	return true;
}

/* Of the two tables that begin there. */
static int take_curves(struct hyb_view_store *s, const struct head *h, const struct file_curve *curves)
{
	struct hyb_view_stretch *stretches = (struct hyb_view_stretch *)(curves + h->counts[4]);
	uint64_t left = h->counts[5];

	s->curves = calloc(h->counts[4] + 1, sizeof(*s->curves));
	if (!s->curves)
		return -ENOMEM;
	s->curve_count = h->counts[4];
	for (size_t i = 0; i < s->curve_count; i++) {
		if (curves[i].stretches >= left || curves[i].track >= s->track_count)
			return -EINVAL;
		s->curves[i] = (struct hyb_view_curve){ .track = (uint32_t)curves[i].track, .stretches = stretches,
							.count = curves[i].stretches };
		stretches += curves[i].stretches + 1;
		left -= curves[i].stretches + 1;
		if (!are_stretches_good(h, &s->curves[i]))
			return -EINVAL;
	}
	return left ? -EINVAL : 0;
}

/* From tables to lists, which lie in them. */
static int take_tables(struct hyb_view_store *s, const struct head *h)
{
	const struct file_curve *curves;
	int err;
	const struct file_track *tracks = (const struct file_track *)s->tables;
	struct rest rest = { .segment_count = h->counts[1], .late_count = h->counts[2] };

	rest.segments = (struct hyb_view_segment *)(tracks + h->counts[0]);
	rest.late = (struct hyb_view_late *)(rest.segments + h->counts[1]);
	s->batches.list = (struct hyb_view_batch *)(rest.late + h->counts[2]);
	s->batches.count = h->counts[3];
	s->tracks = calloc(h->counts[0] + 1, sizeof(*s->tracks));
	s->about = malloc(h->counts[6]);
	if (!s->tracks || !s->about)
		return -ENOMEM;
	curves = (const struct file_curve *)(s->batches.list + s->batches.count);
	s->about_size = h->counts[6];
	memcpy(s->about, (const struct hyb_view_stretch *)(curves + h->counts[4]) + h->counts[5], s->about_size);
	s->track_count = h->counts[0];
	err = take_curves(s, h, curves);
	if (err)
		return err;
	for (size_t i = 0; i < s->track_count; i++) {
		if (!take_track(h, &tracks[i], &rest, &s->tracks[i]))
			return -EINVAL;
		s->tracks[i].track.index = i;
	}
	return are_batches_good(h, s->batches.list, s->batches.count) ? 0 : -EINVAL;
}

static int open_file(struct hyb_view_store *s, const uint64_t print[2])
{
	struct head h;
	uint64_t size = 0;
	int err = read_head(s->fd, print, &h, &size);

	if (err)
		return err;
	size -= h.tables;
	s->tables = malloc(size);
	s->parts = hyb_view_parts_new();
	if (!s->tables || !s->parts)
		return -ENOMEM;
	if (hyb_view_read_at(s->fd, s->tables, size, h.tables) ||
	    check_of(&h, s->tables, size) != h.check)
		return -EINVAL;
	s->start = h.start;
	s->length = h.length;
	s->message_count = h.message_count;
	s->regions = h.regions;
	s->size = h.tables;
	return take_tables(s, &h);
}

int hyb_view_cache_open(struct hyb_view_store *s, const uint64_t print[2], const char *path)
{
	struct stat st;
	int err;

	memset(s, 0, sizeof(*s));
	s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (s->fd < 0)
		return -errno;
	/* Somebody else's says what he likes. */
	err = fstat(s->fd, &st) ? -errno : st.st_uid != geteuid() ? -ENOENT : open_file(s, print);
	if (err) {
		hyb_view_store_free(s);
		memset(s, 0, sizeof(*s));
		s->fd = -1;
	}
	return err;
}
