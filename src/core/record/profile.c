/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profile as a file: mapped as a whole, and longer when the tree needs more. That happens ever more rarely, since a
 * call path is new but once. As with streams, space is reserved before it is touched and no descriptor stays open.
 */
#include "core/record/profile.h"

#include <string.h>

#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "core/calltree/digest.h"
#include "core/record/object-list.h"
#include "core/record/recorder.h"

#define PAGE 4096u

static void name_of(const struct hyb_stream *s, char *buf, size_t size)
{
	hyb_text_format(buf, size, HYB_RECORD_PROFILE_NAME, s->number);
}

static uint64_t size_of(uint64_t cells)
{
	uint64_t size = HYB_PROFILE_HEADER_SIZE + cells * HYB_PROFILE_CELL;

	return (size + PAGE - 1) / PAGE * PAGE;
}

static long open_file(struct hyb_stream *s, int flags)
{
	char name[32];

	name_of(s, name, sizeof(name));
	return hyb_recorder->open(name, O_RDWR | flags, &s->profile.identity);
}

/* More of the file is reserved and mapped; the old mapping goes. */
static int enlarge(struct hyb_stream *s, uint64_t cells, int flags)
{
	uint64_t size = size_of(cells);
	struct hyb_profile_header *h;
	long fd;
	int err;

	if (cells > UINT32_MAX)
		return -EFBIG;
	fd = open_file(s, flags);
	if (fd < 0)
		return (int)fd;
	err = (int)hyb_sys_reserve(fd, s->profile.size, size - s->profile.size);
	h = err ? NULL : hyb_sys_map(fd, 0, size);
	hyb_sys_close(fd);
	if (!h)
		return err ? err : -ENODEV;
	if (s->profile.header)
		hyb_sys_unmap(s->profile.header, s->profile.size);
	h->state.room = (size - HYB_PROFILE_HEADER_SIZE) / HYB_PROFILE_CELL;
	s->profile.header = h;
	s->profile.size = size;
	return 0;
}

static struct hyb_stream *stream_of(struct hyb_profile *p)
{
	return (struct hyb_stream *)((char *)p - offsetof(struct hyb_stream, profile.tree));
}

static int grow(struct hyb_profile *p, uint64_t cells)
{
	struct hyb_stream *s = stream_of(p);
	int err = enlarge(s, cells, 0);

	p->header = s->profile.header;
	return err;
}

static uint32_t library_at(const struct hyb_profile *p, uint64_t address, uint64_t now)
{
	const uint32_t object = hyb_object_at(address, now);

	(void)p;
	/* More have no room in a site. */
	return object >> (64 - HYB_PROFILE_OBJECT_SHIFT) ? 0 : object;
}

static int make(struct hyb_stream *s, struct hyb_profile *p)
{
	const struct hyb_file_header *file = s->file;
	struct hyb_profile_header *h;
	char name[32];
	int err = enlarge(s, HYB_PROFILE_FIRST, O_CREAT);

	if (err) {
		name_of(s, name, sizeof(name));
		hyb_recorder->unlink(name);
		return err;
	}
	h = s->profile.header;
	p->header = h;
	p->grow = grow;
	p->library = library_at;
	h->byte_order = HYB_BYTE_ORDER;
	h->format_major = HYB_PROFILE_MAJOR;
	h->stream = s->number;
	h->counter = file->counter;
	h->pid = file->pid;
	h->tid = file->tid;
	hyb_profile_begin(p, file->start_time);
	/* Readers take it for a profile once this is there. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(h->magic, HYB_PROFILE_MAGIC, sizeof(h->magic));
	return 0;
}

int hyb_record_profile(struct hyb_stream *s, const struct hyb_thread *t)
{
	struct hyb_profile *p = &s->profile.tree;
	const uint64_t *words = (const uint64_t *)(t->chunk + 1);
	int err = s->profile.header ? 0 : make(s, p);

	if (!err)
		err = hyb_profile_digest(p, t->chunk, words, (uint64_t)(t->pos - words));
	/* Nobody but us writes the chunk; what is not understood would not be better the next time. */
	return err == -EBADMSG ? 0 : err;
}

void hyb_record_profile_close(struct hyb_stream *s)
{
	uint64_t size;
	long fd;

	if (!s->profile.header)
		return;
	size = size_of(s->profile.header->state.cells);
	fd = size < s->profile.size ? open_file(s, 0) : -ENOENT;
	if (fd >= 0) {
		s->profile.header->state.room = (size - HYB_PROFILE_HEADER_SIZE) / HYB_PROFILE_CELL;
		HYB_SYS(ftruncate, fd, size, 0, 0, 0, 0);
		hyb_sys_close(fd);
	}
	hyb_sys_unmap(s->profile.header, s->profile.size);
	s->profile.header = NULL;
	s->profile.size = 0;
}
