/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes what is done with files, see convert.h. */
#include <errno.h>

#include "merge/convert.h"
#include "reader/streams/io.h"

/* What a file is in the model; false where it is not there. */
static bool file_of(const struct hyb_convert *c, const struct hyb_io *io, struct hyb_file_id *id)
{
	const struct hyb_defs *defs = c->ids.defs;
	const struct hyb_file *file = defs ? hyb_defs_file(defs, io->file) : NULL;
	size_t place = file ? (size_t)(file - defs->files) : 0;

	/* Of a process that still runs there may be more by now. */
	if (!file || place >= c->p->files.count || !hyb_convert_in_mpi(c))
		return false;
	*id = c->p->files.ids[place];
	return true;
}

static void write_io(struct hyb_convert *c, enum hyb_kind kind, uint32_t handle, const struct hyb_io *io)
{
	struct hyb_merge_event e;

	hyb_convert_now(c, &e, kind);
	e.io.what = io->what;
	e.io.handle = handle;
	e.io.flags = io->flags;
	e.io.bytes = io->done;
	e.io.offset = io->offset;
	e.io.reached = io->reached;
	e.io.id = io->id;
	hyb_convert_tell(c, &e);
}

/* A call that all make who opened the file. Others than those that wait for each other do not ask. */
static void write_meeting(struct hyb_convert *c, const struct hyb_io *io, uint32_t handle)
{
	if (c->pairs)
		write_io(c, HYB_KIND_IO_MEETING, handle, io);
}

static void write_create(struct hyb_convert *c, uint32_t handle, uint32_t mode)
{
	const struct hyb_io open = { .what = HYB_IO_OPEN, .flags = mode };

	write_io(c, HYB_KIND_IO_CREATE, handle, &open);
}

/*
 * Readers refuse operations with a handle that was not created. Where the opening is not in the
 * records (recording was off, or it is lost), the first use of the file stands for it.
 */
static void need_handle(struct hyb_convert *c, const struct hyb_io *io, uint32_t handle)
{
	const struct hyb_file *file = hyb_defs_file(c->ids.defs, io->file);

	if (!c->out || hyb_numbers_has(&c->s->opened, io->file) || hyb_numbers_has(&c->s->made_up, io->file))
		return;
	write_create(c, handle, file->mode);
	if (hyb_numbers_add(&c->s->made_up, io->file))
		c->err = -ENOMEM;
}

static void write_begin(struct hyb_convert *c, const struct hyb_io *io, uint32_t handle)
{
	struct hyb_merge_event e;

	hyb_convert_now(c, &e, HYB_KIND_IO_BEGIN);
	e.io.what = io->what;
	e.io.handle = handle;
	e.io.flags = io->flags;
	e.io.begun = hyb_io_begun(io);
	e.io.bytes = io->requested;
	e.io.offset = io->offset;
	e.io.id = io->id;
	if (io->offset != HYB_IO_NO_OFFSET)
		hyb_convert_attribute(c, HYB_ATTRIBUTE_OFFSET, io->offset);
	hyb_outlet_tell_with(c->out, &e);
}

void hyb_convert_io_begin(struct hyb_convert *c, const struct hyb_open_region *open,
			  const struct hyb_attached *a)
{
	struct hyb_file_id id;
	struct hyb_io io;

	if (!hyb_io_decode(a, &io) || io.what < HYB_IO_READ || io.what > HYB_IO_FLUSH ||
	    !file_of(c, &io, &id) || id.handle == HYB_HANDLE_NONE)
		return;
	if (c->now < open->time)
		c->now = open->time;
	need_handle(c, &io, id.handle);
	if (c->out)
		write_begin(c, &io, id.handle);
}

static void count_bytes(struct hyb_convert *c, bool read, uint64_t bytes)
{
	if (read)
		c->counts.io_read += bytes;
	else
		c->counts.io_written += bytes;
}

/* The Begin is written; what only began is remembered for its end. */
static void on_operation(struct hyb_convert *c, const struct hyb_io *io, uint32_t handle)
{
	int ret = 0;

	c->counts.io_operations++;
	if (hyb_io_begun(io)) {
		ret = hyb_numbers_add(&c->s->begun, io->id);
		write_io(c, HYB_KIND_IO_ISSUED, handle, io);
	} else {
		if (io->what != HYB_IO_FLUSH)
			count_bytes(c, io->what == HYB_IO_READ, io->done);
		write_io(c, HYB_KIND_IO_COMPLETE, handle, io);
	}
	if (ret)
		c->err = ret;
}

/* An end whose beginning is lost is left out. */
static void on_done(struct hyb_convert *c, const struct hyb_io *io, uint32_t handle)
{
	count_bytes(c, io->flags == HYB_IO_READ, io->done);
	if (c->out && hyb_numbers_has(&c->s->begun, io->id))
		write_io(c, HYB_KIND_IO_COMPLETE, handle, io);
}

static void on_failed(struct hyb_convert *c, const struct hyb_io *io, uint32_t handle)
{
	if (c->out && hyb_numbers_has(&c->s->begun, io->id))
		write_io(c, HYB_KIND_IO_CANCELLED, handle, io);
}

static void on_open(struct hyb_convert *c, const struct hyb_io *io, uint32_t handle)
{
	if (c->pass == HYB_PASS_COUNT && hyb_numbers_add(&c->s->opened, io->file))
		c->err = -ENOMEM;
	write_create(c, handle, io->flags);
	write_meeting(c, io, handle);
}

static void write_delete(struct hyb_convert *c, uint32_t file)
{
	struct hyb_merge_event e;

	hyb_convert_now(c, &e, HYB_KIND_IO_DELETE);
	e.io.file = file;
	hyb_convert_tell(c, &e);
}

void hyb_convert_io(struct hyb_convert *c, const struct hyb_attached *a)
{
	struct hyb_file_id id;
	struct hyb_io io;

	if (!hyb_io_decode(a, &io) || !file_of(c, &io, &id))
		return;
	if (io.what == HYB_IO_DELETE) {
		write_delete(c, id.file);
		return;
	}
	if (id.handle == HYB_HANDLE_NONE)
		return;
	if (io.what == HYB_IO_OPEN) {
		on_open(c, &io, id.handle);
		return;
	}
	need_handle(c, &io, id.handle);
	switch (io.what) {
	case HYB_IO_CLOSE:
		write_io(c, HYB_KIND_IO_DESTROY, id.handle, &io);
		write_meeting(c, &io, id.handle);
		break;
	case HYB_IO_SEEK:
		write_io(c, HYB_KIND_IO_SEEK, id.handle, &io);
		if (io.flags & HYB_IO_SEEK_SHARED)
			write_meeting(c, &io, id.handle);
		break;
	case HYB_IO_VIEW:
	case HYB_IO_SIZE:
		write_meeting(c, &io, id.handle);
		break;
	case HYB_IO_READ:
	case HYB_IO_WRITE:
	case HYB_IO_FLUSH:
		on_operation(c, &io, id.handle);
		break;
	case HYB_IO_DONE:
		on_done(c, &io, id.handle);
		break;
	case HYB_IO_FAILED:
		on_failed(c, &io, id.handle);
		break;
	}
}
