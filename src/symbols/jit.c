/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of generated code; see jit.h. */
#include "symbols/jit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "containers/array.h"
#include "containers/search.h"
#include "trace/file.h"

#define MAP_MAX (1u << 30) /* bytes of a map; a larger one is none */
#define SLACK_NS INT64_C(1000000000) /* times of files are those of a clock that ticks */

struct code {
	uint64_t address;
	uint64_t size;
	size_t order; /* of several at one address the last holds */
	char *name;
};

struct hyb_jit {
	uint32_t pid;
	int64_t written; /* ns; 0: there is no file */
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

static void add_code(struct hyb_jit *m, uint64_t address, uint64_t size, const char *name)
{
	struct code *codes;
	char *copy;

	codes = hyb_array_room(m->codes, &m->room, m->count, sizeof(*codes));
	if (!codes)
		return;
	m->codes = codes;
	copy = strdup(name);
	if (copy)
		codes[m->count++] = (struct code){ address, size, m->count, copy };
}

static void read_map(struct hyb_jit *m, uid_t owner)
{
	char path[64], line[4096];
	uint64_t address, size;
	struct stat st;
	int at = 0, fd;
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", m->pid);
	/* Anybody may put something there. */
	fd = hyb_file_open(path, owner, MAP_MAX);
	if (fd < 0)
		return;
	f = fstat(fd, &st) ? NULL : fdopen(fd, "re");
	if (!f) {
		close(fd);
		return;
	}
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &address, &size, &at) == 2 && at && line[at])
			add_code(m, address, size, line + at);
	}
	fclose(f);
	if (m->count)
		qsort(m->codes, m->count, sizeof(*m->codes), by_address);
	m->written = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
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
	read_map(&maps[j->count], j->owner);
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
	return m->codes[after - 1].name;
}

void hyb_jits_free(struct hyb_jits *j)
{
	size_t i, c;

	for (i = 0; i < j->count; i++) {
		for (c = 0; c < j->maps[i].count; c++)
			free(j->maps[i].codes[c].name);
		free(j->maps[i].codes);
	}
	free(j->maps);
	memset(j, 0, sizeof(*j));
}
