/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes what is done with files, see convert.h. */
#include <errno.h>

#include "otf2/convert.h"
#include "trace/io.h"

#define PARADIGM 0u /* the only one */

/* What a file is in the archive; false where it is not there. */
static bool file_of(const struct hyb_convert *c, const struct hyb_io *io, struct hyb_file_id *id)
{
	const struct hyb_defs *defs = c->local.defs;
	const struct hyb_file *file = defs ? hyb_defs_file(defs, io->file) : NULL;
	size_t place = file ? (size_t)(file - defs->files) : 0;

	/* Of a process that still runs there may be more by now. */
	if (!file || place >= c->p->files.count || !hyb_convert_in_mpi(c))
		return false;
	*id = c->p->files.ids[place];
	return true;
}

static OTF2_IoAccessMode access_of(uint32_t mode)
{
	if (mode & HYB_IO_RDWR)
		return OTF2_IO_ACCESS_MODE_READ_WRITE;
	return mode & HYB_IO_WRONLY ? OTF2_IO_ACCESS_MODE_WRITE_ONLY : OTF2_IO_ACCESS_MODE_READ_ONLY;
}

static void write_create(struct hyb_convert *c, uint32_t handle, uint32_t mode, uint64_t time)
{
	OTF2_IoCreationFlag creation = OTF2_IO_CREATION_FLAG_NONE;
	OTF2_IoStatusFlag status = OTF2_IO_STATUS_FLAG_NONE;

	if (mode & HYB_IO_CREATE)
		creation |= OTF2_IO_CREATION_FLAG_CREATE;
	if (mode & HYB_IO_EXCL)
		creation |= OTF2_IO_CREATION_FLAG_EXCLUSIVE;
	if (mode & HYB_IO_SEQUENTIAL)
		creation |= OTF2_IO_CREATION_FLAG_NO_SEEK;
	if (mode & HYB_IO_UNIQUE_OPEN)
		creation |= OTF2_IO_CREATION_FLAG_UNIQUE;
	if (mode & HYB_IO_APPEND)
		status |= OTF2_IO_STATUS_FLAG_APPEND;
	if (mode & HYB_IO_DELETE_ON_CLOSE)
		status |= OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE;
	hyb_convert_check(c, OTF2_EvtWriter_IoCreateHandle(c->writer, NULL, time, handle,
							   access_of(mode), creation, status));
}

/*
 * Readers refuse operations with a handle that was not created. Where the opening is not in the
 * records (recording was off, or it is lost), the first use of the file stands for it.
 */
static void need_handle(struct hyb_convert *c, const struct hyb_io *io, uint32_t handle)
{
	const struct hyb_file *file = hyb_defs_file(c->local.defs, io->file);

	if (!c->writer || hyb_requests_find(&c->p->opened, io->file))
		return;
	write_create(c, handle, file->mode, (uint64_t)c->now);
	if (hyb_requests_add(&c->p->opened, io->file))
		c->err = -ENOMEM;
}

static void write_begin(struct hyb_convert *c, const struct hyb_io *io, uint32_t handle, uint64_t time)
{
	OTF2_IoOperationMode mode = io->what == HYB_IO_READ    ? OTF2_IO_OPERATION_MODE_READ
				    : io->what == HYB_IO_WRITE ? OTF2_IO_OPERATION_MODE_WRITE
							       : OTF2_IO_OPERATION_MODE_FLUSH;
	OTF2_IoOperationFlag flags = OTF2_IO_OPERATION_FLAG_NONE;

	if (io->flags & HYB_IO_COLLECTIVE)
		flags |= OTF2_IO_OPERATION_FLAG_COLLECTIVE;
	if (hyb_io_begun(io))
		flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
	if (io->offset != HYB_IO_NO_OFFSET)
		hyb_convert_attribute(c, HYB_ATTRIBUTE_OFFSET, OTF2_TYPE_UINT64, io->offset);
	hyb_convert_check(c, OTF2_EvtWriter_IoOperationBegin(c->writer, c->attributes, time, handle,
							     mode, flags, io->requested, io->id));
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
	if (c->writer)
		write_begin(c, &io, id.handle, (uint64_t)c->now);
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
	uint64_t time = (uint64_t)c->now;
	int ret = 0;

	c->counts.io_operations++;
	if (hyb_io_begun(io)) {
		ret = hyb_requests_add(&c->p->begun, io->id);
		if (c->writer)
			hyb_convert_check(c, OTF2_EvtWriter_IoOperationIssued(c->writer, NULL, time,
									      handle, io->id));
	} else {
		if (io->what != HYB_IO_FLUSH)
			count_bytes(c, io->what == HYB_IO_READ, io->done);
		if (c->writer)
			hyb_convert_check(c, OTF2_EvtWriter_IoOperationComplete(
						     c->writer, NULL, time, handle, io->done, io->id));
	}
	if (ret)
		c->err = ret;
}

/* An end whose beginning is lost is left out. */
static void on_done(struct hyb_convert *c, const struct hyb_io *io, uint32_t handle)
{
	count_bytes(c, io->flags == HYB_IO_READ, io->done);
	if (c->writer && hyb_requests_has(&c->p->begun, io->id))
		hyb_convert_check(c, OTF2_EvtWriter_IoOperationComplete(
					     c->writer, NULL, (uint64_t)c->now, handle, io->done, io->id));
}

static void on_failed(struct hyb_convert *c, const struct hyb_io *io, uint32_t handle)
{
	if (c->writer && hyb_requests_has(&c->p->begun, io->id))
		hyb_convert_check(c, OTF2_EvtWriter_IoOperationCancelled(c->writer, NULL, (uint64_t)c->now, handle,
									 io->id));
}

static void on_open(struct hyb_convert *c, const struct hyb_io *io, uint32_t handle)
{
	if (c->pass == HYB_PASS_COUNT && hyb_requests_add(&c->p->opened, io->file))
		c->err = -ENOMEM;
	if (c->writer)
		write_create(c, handle, io->flags, (uint64_t)c->now);
}

static void on_seek(struct hyb_convert *c, const struct hyb_io *io, uint32_t handle)
{
	static const OTF2_IoSeekOption from[] = {
		OTF2_IO_SEEK_FROM_START, OTF2_IO_SEEK_FROM_CURRENT, OTF2_IO_SEEK_FROM_END,
		OTF2_IO_SEEK_FROM_START,
	};

	if (c->writer)
		hyb_convert_check(c, OTF2_EvtWriter_IoSeek(c->writer, NULL, (uint64_t)c->now, handle,
							   (int64_t)io->offset, from[io->flags & 3],
							   io->reached));
}

void hyb_convert_io(struct hyb_convert *c, const struct hyb_attached *a)
{
	uint64_t time = (uint64_t)c->now;
	struct hyb_file_id id;
	struct hyb_io io;

	if (!hyb_io_decode(a, &io) || !file_of(c, &io, &id))
		return;
	if (io.what == HYB_IO_DELETE) {
		if (c->writer)
			hyb_convert_check(c, OTF2_EvtWriter_IoDeleteFile(c->writer, NULL, time,
									 PARADIGM, id.file));
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
		if (c->writer)
			hyb_convert_check(c, OTF2_EvtWriter_IoDestroyHandle(c->writer, NULL, time,
									    id.handle));
		break;
	case HYB_IO_SEEK:
		on_seek(c, &io, id.handle);
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
