/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * win-callbacks: windows that an attribute's function frees, within MPI_Comm_delete_attr, MPI_Comm_free, MPI_Win_free
 * of another window, and MPI_Finalize.
 */
#include "expect.h"

static int memory[4];

static void make(MPI_Win *win, const char *name)
{
	EVENTS(MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, win), (void)0,
	       expect_rma("create win=%s", name));
	CALL(MPI_Win_set_name(*win, name));
	EVENTS(MPI_Win_fence(0, *win), (void)0, expect_rma("fence win=%s", name));
}

/* Called by MPI, so that this is no call of its own. */
static void end(MPI_Win *win)
{
	char name[MPI_MAX_OBJECT_NAME];
	int length;

	MPI_Win_get_name(*win, name, &length);
	MPI_Win_free(win);
	CHECK(*win == MPI_WIN_NULL);
	expect_rma("destroy win=%s", name);
}

static int comm_ends(MPI_Comm comm, int key, void *win, void *extra)
{
	(void)comm;
	(void)key;
	(void)extra;
	end(win);
	return MPI_SUCCESS;
}

static int win_ends(MPI_Win outer, int key, void *win, void *extra)
{
	(void)outer;
	(void)key;
	(void)extra;
	end(win);
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	static MPI_Win first, second, third, outer, last;
	MPI_Comm comm;
	int key;
	int win_key;

	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, comm_ends, &key, NULL));
	CALL(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, win_ends, &win_key, NULL));
	make(&first, "first");
	make(&second, "second");
	make(&third, "third");
	make(&outer, "outer");
	make(&last, "last");

	CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
	CALL(MPI_Comm_set_attr(comm, key, &first));
	CALL(MPI_Comm_delete_attr(comm, key));
	CALL(MPI_Comm_set_attr(comm, key, &second));
	CALL(MPI_Comm_free(&comm));
	CALL(MPI_Win_set_attr(outer, win_key, &third));
	EVENTS(MPI_Win_free(&outer), (void)0, expect_rma("destroy win=outer"));
	CALL(MPI_Comm_set_attr(MPI_COMM_SELF, key, &last));
	CALL(MPI_Finalize());
	return 0;
}
