/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of generated code; see jit.h. */
#include "reader/symbols/jit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/containers/array.h"
#include "reader/containers/search.h"
#include "reader/streams/chunk.h"
#include "reader/streams/file.h"

#define MAP_MAX (64u << 20) /* bytes that are read of a map: some 500,000 lines */
#define CODES_MAX (1u << 20)
#define SLACK_NS INT64_C(1000000000) /* times of files are those of a clock that ticks */

struct code {
	uint64_t address;
	uint64_t size;
	uint32_t order; /* of several at one address the last holds */
	uint32_t name;  /* where it begins in the text */
};

struct hyb_jit {
	uint32_t pid;
	int64_t written; /* ns; 0: there is no file */
	char *text; /* of the file, with a zero behind each name */
	struct code *codes;
	size_t count;
	size_t room;
};

static int by_address(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* False: there is no room for more. */
static bool add_code(struct hyb_jit *m, uint64_t address, uint64_t size, const char *name)
{
	struct code *codes;

	if (m->count == CODES_MAX)
		return false;
	codes = hyb_array_room(m->codes, &m->room, m->count, sizeof(*codes));
	if (!codes)
		return false;
	m->codes = codes;
	codes[m->count] = (struct code){ address, size, (uint32_t)m->count, (uint32_t)(name - m->text) };
	m->count++;
	return true;
}

/* Whole lines of the text are taken; false: some could not be. */
static bool take_lines(struct hyb_jit *m)
{
	char *line = m->text, *next, *end;
	uint64_t address, size;

	for (; (next = strchr(line, '\n')); line = next + 1) {
		*next = '\0';
		address = strtoull(line, &end, 16);
		size = end == line ? 0 : strtoull(end, &end, 16);
		if (!size || *end != ' ')
			continue;
		end += strspn(end, " ");
		if (*end && !add_code(m, address, size, end))
			return false;
	}
	return true;
}

/* The first MAP_MAX bytes, and a newline behind a last line without one; false: there are more, or no memory. */
static bool read_text(struct hyb_jit *m, int fd, uint64_t file_size)
{
	const size_t size = file_size < MAP_MAX ? (size_t)file_size : MAP_MAX;
	int64_t n;

	m->text = malloc(size + 2);
	n = m->text ? hyb_chunk_pread(fd, m->text, size, 0) : -ENOMEM;
	if (n < 0) {
		free(m->text);
		m->text = NULL;
		return false;
	}
	if (file_size <= MAP_MAX && n)
		m->text[n++] = '\n';
	m->text[n] = '\0';
	return file_size <= MAP_MAX;
}

static void read_map(struct hyb_jit *m, const struct hyb_jits *j)
{
	bool whole = false;
	char path[64];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", m->pid);
	/* Anybody may put something there. */
	fd = hyb_file_open(path, j->owner, INT64_MAX);
	if (fd < 0)
		return;
	if (!fstat(fd, &st)) {
		whole = read_text(m, fd, (uint64_t)st.st_size);
		whole = m->text && take_lines(m) && whole;
		m->written = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	}
	close(fd);
	if (!whole)
		hyb_diag_say(j->diag, HYB_SEV_NOTE, "%s is too large: names are read from its first %u MiB and %u lines", path,
			     MAP_MAX >> 20, CODES_MAX);
	if (m->count)
		qsort(m->codes, m->count, sizeof(*m->codes), by_address);
}

static const struct hyb_jit *find_map(struct hyb_jits *j, uint32_t pid)
{
	struct hyb_jit *maps;
	size_t i;

	for (i = 0; i < j->count; i++)
		if (j->maps[i].pid == pid)
			return &j->maps[i];
	maps = hyb_array_room(j->maps, &j->room, j->count, sizeof(*maps));
	if (!maps)
		return NULL;
	j->maps = maps;
	maps[j->count] = (struct hyb_jit){ .pid = pid };
	read_map(&maps[j->count], j);
	return &maps[j->count++];
}

const char *hyb_jits_name(struct hyb_jits *j, uint32_t pid, int64_t since, uint64_t address)
{
	const struct hyb_jit *m = find_map(j, pid);
	size_t after;

	if (!m || m->written + SLACK_NS < since)
		return NULL;
	after = HYB_SEARCH(i, m->count, m->codes[i].address <= address);
	if (!after || address - m->codes[after - 1].address >= m->codes[after - 1].size)
		return NULL;
	return m->text + m->codes[after - 1].name;
}

void hyb_jits_free(struct hyb_jits *j)
{
	for (size_t i = 0; i < j->count; i++) {
		free(j->maps[i].text);
		free(j->maps[i].codes);
	}
	free(j->maps);
	memset(j, 0, sizeof(*j));
}
