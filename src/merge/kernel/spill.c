/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of blocks in one file, each block with the place of the next one; see spill.h. */
#include "merge/kernel/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_SIZE (32u << 10)

struct hyb_spill_block {
	uint64_t next; /* HYB_SPILL_NONE: it is the last */
	uint32_t count;
	uint32_t reserved;
	char records[BLOCK_SIZE - 16];
};

int hyb_spill_open(struct hyb_spill *s, const char *dir, uint32_t number, size_t size)
{
	memset(s, 0, sizeof(*s));
	s->fd = -1;
	s->size = size;
	if (asprintf(&s->path, "%s/kernel-%lu", dir, (unsigned long)number) < 0) {
		s->path = NULL;
		return -ENOMEM;
	}
	s->fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return s->fd < 0 ? -errno : 0;
}

void hyb_spill_close(struct hyb_spill *s)
{
	if (s->path && s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

void hyb_spill_free(struct hyb_spill *s)
{
	if (!s->path)
		return;
	hyb_spill_close(s);
	unlink(s->path);
	free(s->path);
	s->path = NULL;
}

void hyb_spill_row_init(struct hyb_spill_row *row)
{
	row->first = row->last = HYB_SPILL_NONE;
	row->block = NULL;
}

static int write_all(int fd, const void *data, size_t size, uint64_t offset)
{
	const char *p = data;
	ssize_t n;

	while (size) {
		n = pwrite(fd, p, size, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -ENOSPC;
		p += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

/* Writes the full block and begins the next one, whose place the full one has to name. */
static int next_block(struct hyb_spill *s, struct hyb_spill_row *row)
{
	uint64_t place = s->end;
	int ret;

	if (row->block) {
		row->block->next = place;
		ret = write_all(s->fd, row->block, BLOCK_SIZE, row->last);
		if (ret)
			return ret;
	} else {
		row->block = malloc(sizeof(*row->block));
		if (!row->block)
			return -ENOMEM;
		row->first = place;
	}
	memset(row->block, 0, sizeof(*row->block));
	row->block->next = HYB_SPILL_NONE;
	row->last = place;
	s->end += BLOCK_SIZE;
	return 0;
}

int hyb_spill_add(struct hyb_spill *s, struct hyb_spill_row *row, const void *record, uint64_t *place)
{
	size_t at = row->block ? row->block->count * s->size : 0;
	int ret;

	if (!row->block || at + s->size > sizeof(row->block->records)) {
		ret = next_block(s, row);
		if (ret)
			return ret;
		at = 0;
	}
	memcpy(row->block->records + at, record, s->size);
	row->block->count++;
	s->used += s->size;
	*place = row->last + offsetof(struct hyb_spill_block, records) + at;
	return 0;
}

int hyb_spill_change(struct hyb_spill *s, struct hyb_spill_row *row, uint64_t place, size_t offset,
		     const void *bytes, size_t count)
{
	if (row->block && place >= row->last && place < row->last + BLOCK_SIZE) {
		memcpy((char *)row->block + (place - row->last) + offset, bytes, count);
		return 0;
	}
	return write_all(s->fd, bytes, count, place + offset);
}

int hyb_spill_row_end(struct hyb_spill *s, struct hyb_spill_row *row)
{
	int ret = row->block ? write_all(s->fd, row->block, BLOCK_SIZE, row->last) : 0;

	free(row->block);
	row->block = NULL;
	return ret;
}

int hyb_spill_read(const struct hyb_spill *s, const struct hyb_spill_row *row, struct hyb_spill_reader *r)
{
	int err;

	memset(r, 0, sizeof(*r));
	r->fd = -1;
	r->size = s->size;
	r->next = row->first;
	if (row->first == HYB_SPILL_NONE)
		return 0;
	r->block = malloc(sizeof(*r->block));
	if (!r->block)
		return -ENOMEM;
	r->block->count = 0;
	r->fd = open(s->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (r->fd >= 0)
		return 0;
	err = -errno;
	free(r->block);
	r->block = NULL;
	return err;
}

static int read_block(struct hyb_spill_reader *r)
{
	char *p = (char *)r->block;
	size_t have = 0;
	ssize_t n;

	while (have < BLOCK_SIZE) {
		n = pread(r->fd, p + have, BLOCK_SIZE - have, (off_t)(r->next + have));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		have += (size_t)n;
	}
	r->next = r->block->next;
	r->at = 0;
	return 0;
}

int hyb_spill_next(struct hyb_spill_reader *r, const void **record)
{
	int ret;

	if (!r->block)
		return 0;
	while (r->at == r->block->count) {
		if (r->next == HYB_SPILL_NONE)
			return 0;
		ret = read_block(r);
		if (ret)
			return ret;
	}
	*record = r->block->records + r->at++ * r->size;
	return 1;
}

void hyb_spill_read_end(struct hyb_spill_reader *r)
{
	if (r->block) {
		close(r->fd);
		free(r->block);
	}
	r->block = NULL;
}
