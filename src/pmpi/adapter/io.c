/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of what is done with files; see io.h. */
#include "pmpi/adapter/io.h"

#include "pmpi/adapter/handles/file.h"
#include "pmpi/adapter/handles/type.h"
#include "pmpi/adapter/put.h"
#include "pmpi/adapter/requests/begin.h"
#include "pmpi/adapter/requests/status.h"
#include "core/record/definitions.h"

static uint64_t bytes_at(const struct hyb_file *f, MPI_Offset at)
{
	return at < 0 ? HYB_IO_NO_OFFSET
		      : (uint64_t)at * __atomic_load_n(&f->unit, __ATOMIC_RELAXED);
}

static MPI_Offset position(const struct hyb_file *f, MPI_File fh)
{
	MPI_Offset at = -1;

	/* There is none in a sequential file, and to ask would raise the program's error handler. */
	if (!(f->mode & HYB_IO_SEQUENTIAL) && PMPI_File_get_position(fh, &at) != MPI_SUCCESS)
		at = -1;
	return at;
}

uint64_t *hyb_ev_io_position(uint64_t *p, bool *late, MPI_File fh, MPI_Offset *at)
{
	const struct hyb_file *f = hyb_file_find(fh);

	(void)late;
	*at = f ? position(f, fh) : -1;
	return p;
}

uint64_t *hyb_ev_io_open(uint64_t *p, MPI_Comm comm, const char *name, int amode, MPI_File fh,
			 bool *known)
{
	const struct hyb_file *f;

	hyb_file_opened(comm, name, amode, fh, known);
	f = hyb_file_find(fh);
	if (!f)
		return p;
	return hyb_put_io(p, HYB_IO_OPEN, f->mode, f->id, 2);
}

uint64_t *hyb_ev_io_close(uint64_t *p, uint32_t file)
{
	return file == HYB_NO_FILE ? p : hyb_put_io(p, HYB_IO_CLOSE, 0, file, 2);
}

uint64_t *hyb_ev_io_delete(uint64_t *p, const char *name)
{
	uint32_t id = hyb_def_file_id();

	hyb_def_file(id, HYB_IO_NO_COMM, 0, name);
	return hyb_put_io(p, HYB_IO_DELETE, 0, id, 2);
}

uint64_t *hyb_ev_io_seek(uint64_t *p, uint32_t flags, MPI_File fh, MPI_Offset offset, int whence)
{
	struct hyb_file *f = hyb_file_get(fh);
	MPI_Offset reached = whence == MPI_SEEK_SET ? offset : -1;

	if (!f)
		return p;
	/* To ask for the shared pointer may lock the file. */
	if (reached < 0 && !(flags & HYB_IO_SEEK_SHARED))
		reached = position(f, fh);
	flags |= whence == MPI_SEEK_SET ? HYB_IO_FROM_START
		 : whence == MPI_SEEK_CUR ? HYB_IO_FROM_CURRENT
					  : HYB_IO_FROM_END;
	p = hyb_put_io(p, HYB_IO_SEEK, flags, f->id, 4);
	p[0] = (uint64_t)offset * __atomic_load_n(&f->unit, __ATOMIC_RELAXED);
	p[1] = bytes_at(f, reached);
	return p + 2;
}

uint64_t *hyb_ev_io_view(uint64_t *p, MPI_File fh, MPI_Offset disp, MPI_Datatype etype)
{
	struct hyb_file *f = hyb_file_get(fh);

	if (!f)
		return p;
	p = hyb_put_io(p, HYB_IO_VIEW, 0, f->id, 4);
	p[0] = disp < 0 ? HYB_IO_NO_OFFSET : (uint64_t)disp;
	p[1] = hyb_type_size(etype);
	return p + 2;
}

uint64_t *hyb_ev_io_size(uint64_t *p, uint32_t flags, MPI_File fh, MPI_Offset size)
{
	struct hyb_file *f = hyb_file_get(fh);

	if (!f)
		return p;
	p = hyb_put_io(p, HYB_IO_SIZE, flags, f->id, 3);
	p[0] = (uint64_t)size;
	return p + 1;
}

static uint64_t *put_operation(uint64_t *p, enum hyb_io_what what, uint32_t flags,
			       const struct hyb_file *f, uint64_t id, uint64_t requested,
			       uint64_t done, uint64_t offset)
{
	p = hyb_put_io(p, what, flags, f->id, 6);
	p[0] = id;
	p[1] = requested;
	p[2] = done;
	p[3] = offset;
	return p + 4;
}

uint64_t *hyb_ev_io_flush(uint64_t *p, MPI_File fh)
{
	const struct hyb_file *f = hyb_file_get(fh);

	if (!f)
		return p;
	return put_operation(p, HYB_IO_FLUSH, HYB_IO_COLLECTIVE, f, hyb_request_number(), 0, 0,
			     HYB_IO_NO_OFFSET);
}

uint64_t *hyb_ev_io(uint64_t *p, enum hyb_io_what what, uint32_t flags, MPI_File fh, MPI_Offset at,
		    MPI_Count count, MPI_Datatype type, const MPI_Status *status)
{
	const struct hyb_file *f = hyb_file_get(fh);

	if (!f)
		return p;
	return put_operation(p, what, flags, f, hyb_request_number(), hyb_type_bytes(count, type),
			     hyb_status_bytes(status), bytes_at(f, at));
}

uint64_t *hyb_ev_io_begin(uint64_t *p, enum hyb_io_what what, uint32_t flags, MPI_File fh,
			  MPI_Offset at, MPI_Count count, MPI_Datatype type,
			  const MPI_Request *request)
{
	const struct hyb_file *f = hyb_file_get(fh);
	uint64_t id;

	if (!f)
		return hyb_ev_iuntracked(p, request);
	id = hyb_request_number();
	hyb_request_add_transfer(*request, HYB_OP_IO, what, f->id, id);
	return put_operation(p, what, flags | HYB_IO_NONBLOCKING, f, id, hyb_type_bytes(count, type), 0,
			     bytes_at(f, at));
}

uint64_t *hyb_ev_io_split(uint64_t *p, enum hyb_io_what what, uint32_t flags, MPI_File fh,
			  MPI_Offset at, MPI_Count count, MPI_Datatype type)
{
	struct hyb_file *f = hyb_file_get(fh);
	uint64_t id;

	if (!f)
		return p;
	id = hyb_request_number();
	__atomic_store_n(&f->split, id, __ATOMIC_RELAXED);
	return put_operation(p, what, flags | HYB_IO_SPLIT | HYB_IO_COLLECTIVE, f, id,
			     hyb_type_bytes(count, type), 0, bytes_at(f, at));
}

uint64_t *hyb_ev_io_split_end(uint64_t *p, int ret, enum hyb_io_what what, MPI_File fh,
			      const MPI_Status *status)
{
	/* of a call that failed the handle may be none */
	struct hyb_file *f = ret == MPI_SUCCESS ? hyb_file_get(fh) : hyb_file_find(fh);
	uint64_t id = f ? __atomic_exchange_n(&f->split, 0, __ATOMIC_RELAXED) : 0;

	if (!id)
		return p;
	if (ret != MPI_SUCCESS)
		return hyb_put_io_failed(p, f->id, id);
	return hyb_put_io_done(p, what, f->id, id, hyb_status_bytes(status));
}
