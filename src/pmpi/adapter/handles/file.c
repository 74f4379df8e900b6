/* SPDX-License-Identifier: BSD-3-Clause */
/* Files and the records of what is done with them; see file.h. */
#include "pmpi/adapter/handles/file.h"

#include <sched.h>
#include <string.h>

#include "pmpi/adapter/handles/comm.h"
#include "pmpi/adapter/handles/type.h"
#include "pmpi/adapter/put.h"
#include "pmpi/adapter/requests/request.h"
#include "pmpi/adapter/requests/status.h"
#include "record/definitions.h"

static struct hyb_trie files;

/* An access mode as it is recorded: MPI's constants are other numbers in each MPI. */
static uint32_t mode_of(int amode)
{
	static const struct {
		int amode;
		enum hyb_io_mode mode;
	} modes[] = {
		{ MPI_MODE_RDONLY, HYB_IO_RDONLY },
		{ MPI_MODE_WRONLY, HYB_IO_WRONLY },
		{ MPI_MODE_RDWR, HYB_IO_RDWR },
		{ MPI_MODE_CREATE, HYB_IO_CREATE },
		{ MPI_MODE_EXCL, HYB_IO_EXCL },
		{ MPI_MODE_DELETE_ON_CLOSE, HYB_IO_DELETE_ON_CLOSE },
		{ MPI_MODE_UNIQUE_OPEN, HYB_IO_UNIQUE_OPEN },
		{ MPI_MODE_SEQUENTIAL, HYB_IO_SEQUENTIAL },
		{ MPI_MODE_APPEND, HYB_IO_APPEND },
	};
	uint32_t mode = 0;
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (amode & modes[i].amode)
			mode |= modes[i].mode;
	return mode;
}

/* What is known of a handle, or NULL. Pairs with the release stores below. */
static struct hyb_file *find(MPI_File fh)
{
	struct hyb_file *f = (struct hyb_file *)hyb_trie_find(&files, HYB_HANDLE(fh));

	if (!f || __atomic_load_n(&f->state, __ATOMIC_ACQUIRE) != HYB_FILE_LIVE)
		return NULL;
	return f;
}

static void define(struct hyb_file *f, uint32_t comm, uint32_t mode, const char *name)
{
	f->mode = mode;
	f->unit = 1;
	f->split = 0;
	f->id = hyb_def_file_id();
	hyb_def_file(f->id, comm, mode, name);
	/* Release: pairs with find. */
	__atomic_store_n(&f->state, HYB_FILE_LIVE, __ATOMIC_RELEASE);
}

/* A valid handle that nobody told us of: opened in a language or by a library that passed us by. */
static struct hyb_file *meet(MPI_File fh)
{
	struct hyb_file *f = (struct hyb_file *)hyb_trie_add(&files, HYB_HANDLE(fh), sizeof(*f));
	uint32_t state = HYB_FILE_FREE;
	int amode = 0;

	if (!f)
		return NULL;
	while (!__atomic_compare_exchange_n(&f->state, &state, HYB_FILE_MAKING, 0, __ATOMIC_ACQUIRE,
					    __ATOMIC_ACQUIRE)) {
		if (state == HYB_FILE_LIVE)
			return f;
		/* Another thread meets the same stranger; it waits for nobody. */
		sched_yield();
		state = HYB_FILE_FREE;
	}
	PMPI_File_get_amode(fh, &amode);
	define(f, HYB_IO_NO_COMM, mode_of(amode), "");
	return f;
}

/* What is known of a handle that is valid, because a call with it succeeded. */
static struct hyb_file *get(MPI_File fh)
{
	struct hyb_file *f = find(fh);

	return hyb_likely(f != NULL) ? f : meet(fh);
}

uint32_t hyb_file_id(const MPI_File *fh)
{
	const struct hyb_file *f = fh ? find(*fh) : NULL;

	return f ? f->id : HYB_NO_FILE;
}

/*
 * When an opening fails, MPICH 4.0's Fortran goes on with a variable that it never set. What stands there is
 * what we, too, left on the stack; where that is zero nothing happens, so zeroes are what we leave.
 */
__attribute__((noinline)) void hyb_file_opening(void)
{
	char below[1024];

	memset(below, 0, sizeof(below));
	__asm__ volatile("" : : "r"(below) : "memory");
}

/* What was known of the handle is of an earlier file. */
void hyb_file_opened(MPI_Comm comm, const char *name, int amode, MPI_File fh, bool *known)
{
	const struct hyb_comm *c;
	struct hyb_file *f;

	if (*known)
		return;
	*known = true;
	f = (struct hyb_file *)hyb_trie_add(&files, HYB_HANDLE(fh), sizeof(*f));
	c = hyb_comm_get(comm);
	if (!f)
		return;
	__atomic_store_n(&f->state, HYB_FILE_MAKING, __ATOMIC_RELAXED);
	define(f, c ? c->id : HYB_IO_NO_COMM, mode_of(amode), name);
}

void hyb_file_closed(const MPI_File *fh)
{
	struct hyb_file *f = fh ? find(*fh) : NULL;

	if (f)
		__atomic_store_n(&f->state, HYB_FILE_FREE, __ATOMIC_RELEASE);
}

void hyb_file_kept(uint32_t file, const MPI_File *fh)
{
	struct hyb_node *node = fh ? hyb_trie_find(&files, HYB_HANDLE(*fh)) : NULL;
	struct hyb_file *f = (struct hyb_file *)node;
	uint32_t state = HYB_FILE_FREE;

	if (f && f->id == file)
		__atomic_compare_exchange_n(&f->state, &state, HYB_FILE_LIVE, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void hyb_file_viewed(MPI_File fh, MPI_Datatype etype)
{
	struct hyb_file *f = get(fh);

	if (f)
		__atomic_store_n(&f->unit, hyb_type_size(etype), __ATOMIC_RELAXED);
}

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
	const struct hyb_file *f = find(fh);

	(void)late;
	*at = f ? position(f, fh) : -1;
	return p;
}

uint64_t *hyb_ev_io_open(uint64_t *p, MPI_Comm comm, const char *name, int amode, MPI_File fh,
			 bool *known)
{
	const struct hyb_file *f;

	hyb_file_opened(comm, name, amode, fh, known);
	f = find(fh);
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
	struct hyb_file *f = get(fh);
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
	struct hyb_file *f = get(fh);

	if (!f)
		return p;
	p = hyb_put_io(p, HYB_IO_VIEW, 0, f->id, 4);
	p[0] = disp < 0 ? HYB_IO_NO_OFFSET : (uint64_t)disp;
	p[1] = hyb_type_size(etype);
	return p + 2;
}

uint64_t *hyb_ev_io_size(uint64_t *p, uint32_t flags, MPI_File fh, MPI_Offset size)
{
	struct hyb_file *f = get(fh);

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
	const struct hyb_file *f = get(fh);

	if (!f)
		return p;
	return put_operation(p, HYB_IO_FLUSH, HYB_IO_COLLECTIVE, f, hyb_request_number(), 0, 0,
			     HYB_IO_NO_OFFSET);
}

uint64_t *hyb_ev_io(uint64_t *p, enum hyb_io_what what, uint32_t flags, MPI_File fh, MPI_Offset at,
		    MPI_Count count, MPI_Datatype type, const MPI_Status *status)
{
	const struct hyb_file *f = get(fh);

	if (!f)
		return p;
	return put_operation(p, what, flags, f, hyb_request_number(), hyb_type_bytes(count, type),
			     hyb_status_bytes(status), bytes_at(f, at));
}

uint64_t *hyb_ev_io_begin(uint64_t *p, enum hyb_io_what what, uint32_t flags, MPI_File fh,
			  MPI_Offset at, MPI_Count count, MPI_Datatype type,
			  const MPI_Request *request)
{
	const struct hyb_file *f = get(fh);
	uint64_t id;

	if (!f)
		return hyb_ev_iother(p, request);
	id = hyb_request_number();
	hyb_request_began(*request, HYB_OP_IO, what, f->id, id);
	return put_operation(p, what, flags | HYB_IO_NONBLOCKING, f, id, hyb_type_bytes(count, type), 0,
			     bytes_at(f, at));
}

uint64_t *hyb_ev_io_split(uint64_t *p, enum hyb_io_what what, uint32_t flags, MPI_File fh,
			  MPI_Offset at, MPI_Count count, MPI_Datatype type)
{
	struct hyb_file *f = get(fh);
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
	struct hyb_file *f = ret == MPI_SUCCESS ? get(fh) : find(fh);
	uint64_t id = f ? __atomic_exchange_n(&f->split, 0, __ATOMIC_RELAXED) : 0;

	if (!id)
		return p;
	if (ret != MPI_SUCCESS)
		return hyb_put_io_failed(p, f->id, id);
	return hyb_put_io_done(p, what, f->id, id, hyb_status_bytes(status));
}
