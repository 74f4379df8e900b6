/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorted runs in a file, and a heap over them; see sort.h. */
#include "reader/containers/sort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/containers/array.h"
#include "reader/containers/heap.h"

#define FAN_IN 64	  /* runs that are merged at once */
#define BLOCK (64u << 10) /* bytes of a run in memory while it is merged */

struct hyb_sort_run {
	uint64_t place; /* in the file */
	uint64_t count;
	unsigned int level; /* how often its records were merged */
};

/* A run while it is read. */
struct reader {
	char *block;
	size_t at;    /* the next record in block */
	size_t count; /* records in it */
	uint64_t place;
	uint64_t left; /* records in the file after it */
	uint64_t key;  /* of the next one */
};

struct hyb_sort_place { /* of a record in memory */
	uint64_t key;
	uint32_t at;
};

struct hyb_sort_merge {
	struct reader *readers;
	size_t count;
	struct hyb_heap heap; /* those that have a record, the least first */
	bool begun;	      /* the first one's record was given out */
};

int hyb_sort_file(const char *dir)
{
	char *path;
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), err;

	if (fd >= 0 ||
	    (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT))
		return fd < 0 ? -errno : fd;
	/* Not on all file systems. */
	if (asprintf(&path, "%s/sort-XXXXXX", dir) < 0)
		return -ENOMEM;
	fd = mkostemp(path, O_CLOEXEC);
	err = -errno;
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd < 0 ? err : fd;
}

int hyb_sort_init(struct hyb_sort *s, const char *dir, size_t memory, size_t size,
		  hyb_sort_compare compare)
{
	memset(s, 0, sizeof(*s));
	pthread_mutex_init(&s->lock, NULL);
	s->compare = compare;
	s->size = size;
	s->room = memory / size + 1 < UINT32_MAX ? memory / size + 1 : UINT32_MAX;
	s->fd = hyb_sort_file(dir);
	if (s->fd < 0)
		return s->fd;
	s->memory = malloc(s->room * size);
	s->places = malloc(2 * s->room * sizeof(*s->places));
	return s->memory && s->places ? 0 : -ENOMEM;
}

static void end_merge(struct hyb_sort *s)
{
	size_t i;

	if (!s->merge)
		return;
	for (i = 0; s->merge->readers && i < s->merge->count; i++)
		free(s->merge->readers[i].block);
	free(s->merge->readers);
	free(s->merge->heap.items);
	free(s->merge);
	s->merge = NULL;
}

void hyb_sort_free(struct hyb_sort *s)
{
	if (!s->size)
		return;
	end_merge(s);
	if (s->fd >= 0)
		close(s->fd);
	free(s->memory);
	free(s->places);
	free(s->runs);
	pthread_mutex_destroy(&s->lock);
	memset(s, 0, sizeof(*s));
}

static int write_all(int fd, const char *p, size_t size, uint64_t place)
{
	ssize_t n;

	while (size) {
		n = pwrite(fd, p, size, (off_t)place);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		p += n;
		size -= (size_t)n;
		place += (uint64_t)n;
	}
	return 0;
}

static int read_all(int fd, char *p, size_t size, uint64_t place)
{
	ssize_t n;

	while (size) {
		n = pread(fd, p, size, (off_t)place);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		p += n;
		size -= (size_t)n;
		place += (uint64_t)n;
	}
	return 0;
}

static int add_run(struct hyb_sort *s, uint64_t place, uint64_t count, unsigned int level)
{
	struct hyb_sort_run *grown;

	grown = hyb_array_room(s->runs, &s->run_room, s->run_count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->runs = grown;
	s->runs[s->run_count++] = (struct hyb_sort_run){ place, count, level };
	return 0;
}

static const char *record_of(const struct hyb_sort *s, const struct reader *r)
{
	return r->block + r->at * s->size;
}

static void note_key(const struct hyb_sort *s, struct reader *r)
{
	r->key = s->key && r->count ? s->key(record_of(s, r)) : 0;
}

/* The reader's next block; it has no record when there is none. */
static int fill(struct hyb_sort *s, struct reader *r)
{
	size_t room = BLOCK / s->size ? BLOCK / s->size : 1;
	int ret;

	r->at = 0;
	r->count = r->left < room ? (size_t)r->left : room;
	if (!r->count)
		return 0;
	ret = read_all(s->fd, r->block, r->count * s->size, r->place);
	r->place += r->count * s->size;
	r->left -= r->count;
	return ret;
}

static bool is_less(const void *a, const void *b, const void *arg)
{
	const struct reader *x = a, *y = b;
	const struct hyb_sort *s = arg;

	if (x->key != y->key)
		return x->key < y->key;
	return s->compare(record_of(s, a), record_of(s, b)) < 0;
}

static int begin_merge(struct hyb_sort *s, const struct hyb_sort_run *runs, size_t count)
{
	struct hyb_sort_merge *m = calloc(1, sizeof(*m));
	struct reader *r;
	size_t i;
	int ret = 0;

	if (!m)
		return -ENOMEM;
	s->merge = m;
	m->readers = calloc(count + 1, sizeof(*m->readers));
	m->heap.items = calloc(count + 1, sizeof(*m->heap.items));
	if (!m->readers || !m->heap.items)
		return -ENOMEM;
	for (i = 0; !ret && i < count; i++) {
		r = &m->readers[m->count++];
		r->block = malloc(BLOCK > s->size ? BLOCK : s->size);
		r->place = runs[i].place;
		r->left = runs[i].count;
		if (!r->block)
			return -ENOMEM;
		ret = fill(s, r);
		if (!ret)
			note_key(s, r);
		if (!ret && r->count)
			m->heap.items[m->heap.count++] = r;
	}
	hyb_heap_order(&m->heap, is_less, s);
	return ret;
}

static int next_merged(struct hyb_sort *s, const void **record)
{
	struct hyb_sort_merge *m = s->merge;
	struct reader *r = m->heap.items[0];
	int ret;

	if (m->begun && m->heap.count) {
		if (++r->at == r->count) {
			ret = fill(s, r);
			if (ret)
				return ret;
		}
		note_key(s, r);
		hyb_heap_moved(&m->heap, r->count != 0, is_less, s);
	}
	m->begun = true;
	if (!m->heap.count)
		return 0;
	*record = record_of(s, m->heap.items[0]);
	return 1;
}

/* The last runs become one, at the end of the file; the old ones give their space back where the file system can. */
static int merge_last(struct hyb_sort *s, size_t count)
{
	struct hyb_sort_run *from = &s->runs[s->run_count - count];
	size_t room = BLOCK / s->size ? BLOCK / s->size : 1, n = 0;
	const uint64_t place = s->end, begin = from->place, old_end = s->end;
	char *block = malloc(room * s->size);
	const void *record;
	int ret = block ? begin_merge(s, from, count) : -ENOMEM;

	while (!ret && (ret = next_merged(s, &record)) > 0) {
		memcpy(block + n++ * s->size, record, s->size);
		ret = 0;
		if (n < room)
			continue;
		ret = write_all(s->fd, block, n * s->size, s->end);
		s->end += n * s->size;
		n = 0;
	}
	if (!ret && n)
		ret = write_all(s->fd, block, n * s->size, s->end);
	s->end += n * s->size;
	end_merge(s);
	free(block);
	if (ret)
		return ret;
	fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)begin,
		  (off_t)(old_end - begin));
	from->level++;
	from->place = place;
	from->count = (s->end - place) / s->size;
	s->run_count -= count - 1;
	return 0;
}

/* By one byte of the key after the other, the lowest first; bytes that all have alike take no time. Where the result is. */
static struct hyb_sort_place *sort_by_keys(struct hyb_sort *s)
{
	struct hyb_sort_place *from = s->places, *to = s->places + s->room, *other;
	uint64_t differ = 0;

	for (size_t i = 0; i < s->count; i++) {
		from[i].key = s->key ? s->key(s->memory + i * s->size) : 0;
		from[i].at = (uint32_t)i;
		differ |= from[i].key ^ from[0].key;
	}
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		size_t first[256] = { 0 }, sum = 0;

		if (!(differ >> shift & 0xff))
			continue;
		for (size_t i = 0; i < s->count; i++)
			first[from[i].key >> shift & 0xff]++;
		for (size_t i = 0; i < 256; i++) {
			size_t count = first[i];

			first[i] = sum;
			sum += count;
		}
		for (size_t i = 0; i < s->count; i++)
			to[first[from[i].key >> shift & 0xff]++] = from[i];
		other = from;
		from = to;
		to = other;
	}
	return from;
}

static int by_record(const void *a, const void *b, void *arg)
{
	const struct hyb_sort_place *x = a, *y = b;
	const struct hyb_sort *s = arg;

	return s->compare(s->memory + x->at * s->size, s->memory + y->at * s->size);
}

/* Where the records in memory are, in order; those of one key may lie in order already. */
static const struct hyb_sort_place *sort_memory(struct hyb_sort *s)
{
	struct hyb_sort_place *places = sort_by_keys(s);

	for (size_t i = 0, end; i < s->count; i = end) {
		bool ordered = true;

		for (end = i + 1; end < s->count && places[end].key == places[i].key; end++)
			ordered = ordered && by_record(&places[end - 1], &places[end], s) <= 0;
		if (!ordered)
			qsort_r(places + i, end - i, sizeof(*places), by_record, s);
	}
	return places;
}

/* The records in memory, in order, to the end of the file. */
static int write_memory(struct hyb_sort *s)
{
	const struct hyb_sort_place *places = sort_memory(s);
	size_t room = BLOCK / s->size ? BLOCK / s->size : 1, n = 0;
	char *block = malloc(room * s->size);
	int ret = block ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < s->count; i++) {
		memcpy(block + n++ * s->size, s->memory + places[i].at * s->size, s->size);
		if (n < room && i + 1 < s->count)
			continue;
		ret = write_all(s->fd, block, n * s->size, s->end);
		s->end += n * s->size;
		n = 0;
	}
	free(block);
	return ret;
}

static int write_run(struct hyb_sort *s)
{
	const uint64_t place = s->end;
	size_t same, count = s->count;
	int ret = write_memory(s);

	if (!ret)
		ret = add_run(s, place, count, 0);
	s->count = 0;
	while (!ret) {
		for (same = 1; same < s->run_count; same++)
			if (s->runs[s->run_count - 1 - same].level !=
			    s->runs[s->run_count - 1].level)
				break;
		if (same < FAN_IN)
			break;
		ret = merge_last(s, FAN_IN);
	}
	return ret;
}

int hyb_sort_add(struct hyb_sort *s, const void *records, size_t count)
{
	const char *from = records;
	size_t n;
	int ret = 0;

	pthread_mutex_lock(&s->lock);
	while (!ret && count) {
		n = s->room - s->count < count ? s->room - s->count : count;
		memcpy(s->memory + s->count * s->size, from, n * s->size);
		s->count += n;
		from += n * s->size;
		count -= n;
		if (s->count == s->room)
			ret = write_run(s);
	}
	pthread_mutex_unlock(&s->lock);
	return ret;
}

int hyb_sort_rewind(struct hyb_sort *s)
{
	int ret = 0;

	end_merge(s);
	s->next = 0;
	if (!s->run_count) {
		s->ordered = sort_memory(s);
		return 0;
	}
	if (s->count)
		ret = write_run(s);
	while (!ret && s->run_count > FAN_IN)
		ret = merge_last(s, FAN_IN);
	return ret ? ret : begin_merge(s, s->runs, s->run_count);
}

int hyb_sort_next(struct hyb_sort *s, const void **record)
{
	if (s->merge)
		return next_merged(s, record);
	if (s->next == s->count)
		return 0;
	*record = s->memory + s->ordered[s->next++].at * s->size;
	return 1;
}
