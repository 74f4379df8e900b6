/* SPDX-License-Identifier: BSD-3-Clause */
/* Files; see file.h. */
#include "pmpi/adapter/handles/file.h"

#include <string.h>

#include "pmpi/adapter/handles/comm-create.h"
#include "pmpi/adapter/handles/state.h"
#include "pmpi/adapter/handles/type.h"
#include "core/record/definitions.h"

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

struct hyb_file *hyb_file_find(MPI_File fh)
{
	struct hyb_file *f = (struct hyb_file *)hyb_trie_find(&files, HYB_HANDLE(fh));

	if (!f || __atomic_load_n(&f->state, __ATOMIC_ACQUIRE) != HYB_STATE_LIVE)
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
	/* Release: pairs with hyb_file_find. */
	__atomic_store_n(&f->state, HYB_STATE_LIVE, __ATOMIC_RELEASE);
}

/* A valid handle that nobody told us of: opened in a language or by a library that passed us by. */
static struct hyb_file *meet(MPI_File fh)
{
	struct hyb_file *f = (struct hyb_file *)hyb_trie_add(&files, HYB_HANDLE(fh), sizeof(*f));
	int amode = 0;

	if (!f || !hyb_state_claim(&f->state))
		return f;
	PMPI_File_get_amode(fh, &amode);
	define(f, HYB_IO_NO_COMM, mode_of(amode), "");
	return f;
}

struct hyb_file *hyb_file_get(MPI_File fh)
{
	struct hyb_file *f = hyb_file_find(fh);

	return hyb_likely(f != NULL) ? f : meet(fh);
}

uint32_t hyb_file_id(const MPI_File *fh)
{
	const struct hyb_file *f = fh ? hyb_file_find(*fh) : NULL;

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
	__atomic_store_n(&f->state, HYB_STATE_MAKING, __ATOMIC_RELAXED);
	define(f, c ? c->id : HYB_IO_NO_COMM, mode_of(amode), name);
}

void hyb_file_closing(const MPI_File *fh)
{
	struct hyb_file *f = fh ? hyb_file_find(*fh) : NULL;

	if (f)
		__atomic_store_n(&f->state, HYB_STATE_FREE, __ATOMIC_RELEASE);
}

void hyb_file_close_failed(uint32_t file, const MPI_File *fh)
{
	struct hyb_node *node = fh ? hyb_trie_find(&files, HYB_HANDLE(*fh)) : NULL;
	struct hyb_file *f = (struct hyb_file *)node;

	if (f && f->id == file)
		hyb_state_restore(&f->state);
}

void hyb_file_viewed(MPI_File fh, MPI_Datatype etype)
{
	struct hyb_file *f = hyb_file_get(fh);

	if (f)
		__atomic_store_n(&f->unit, hyb_type_size(etype), __ATOMIC_RELAXED);
}
