/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kept-handles [FILE]: what is under a handle stays known where MPI refuses to end it, here since an attribute's
 * callback does; and a handle is a new object's where MPI gives it out again. With FILE, and with the tool refuse.c
 * behind the library, which refuses calls: also files, and operations on them that end with an error.
 */
#include <dlfcn.h>

#include "requests.h"

static MPI_Comm world = MPI_COMM_WORLD;
static const char *path;
static int me;
static int peer;
static int refuse;
/* operations that were given a number by now */
static int ids;

static int keep_comm(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm;
	(void)key;
	(void)value;
	(void)extra;
	return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int keep_win(MPI_Win win, int key, void *value, void *extra)
{
	(void)win;
	(void)key;
	(void)value;
	(void)extra;
	return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* Some MPIs do not ask the callback whether they may. */
#define REFUSED(call, otherwise) \
	EVENTS(call, (void)0, ret_ != MPI_SUCCESS ? expect_line("  error code=%d", ret_) : (otherwise))

static void use(MPI_Comm comm, const char *name)
{
	int got;

	EVENTS(MPI_Sendrecv(&me, 1, MPI_INT, peer, 1, &got, 1, MPI_INT, peer, 1, comm, MPI_STATUS_IGNORE),
	       expect_send(peer, 1, name, 4), expect_recv(peer, 1, name, 4));
	CHECK(got == peer);
	COLL(MPI_Barrier(comm), NO_ROOT, name, 0, 0);
}

static void communicator(void)
{
	MPI_Comm comm;
	int key;

	CALL(MPI_Comm_dup(world, &comm));
	CALL(MPI_Comm_set_name(comm, "kept"));
	CALL(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, keep_comm, &key, NULL));
	CALL(MPI_Comm_set_attr(comm, key, NULL));
	refuse = 1;
	REFUSED(MPI_Comm_free(&comm), (void)0);
	refuse = 0;
	if (comm != MPI_COMM_NULL) {
		use(comm, "kept");
		CALL(MPI_Comm_free(&comm));
	}
	CALL(MPI_Comm_free_keyval(&key));
}

static void window(void)
{
	int memory[4] = { 0 };
	MPI_Win win;
	int key;

	EVENTS(MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, world, &win), (void)0,
	       expect_rma("create win=kept"));
	CALL(MPI_Win_set_name(win, "kept"));
	CALL(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, keep_win, &key, NULL));
	CALL(MPI_Win_set_attr(win, key, NULL));
	CALL(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	refuse = 1;
	REFUSED(MPI_Win_free(&win), expect_rma("destroy win=kept"));
	refuse = 0;
	if (win != MPI_WIN_NULL) {
		EVENTS(MPI_Win_fence(0, win), (void)0, expect_rma("fence win=kept"));
		EVENTS(MPI_Win_free(&win), (void)0, expect_rma("destroy win=kept"));
	}
	CALL(MPI_Win_free_keyval(&key));
}

/* A variable that holds the handle of one that is freed, which MPI gives to the next. */
static void again(void)
{
	MPI_Request request;
	MPI_Comm before;
	MPI_Comm comm;

	for (int i = 0; i < 4; i++) {
		char name[16];

		snprintf(name, sizeof(name), "idup-%d", i);
		CALL(MPI_Comm_idup(world, &comm, &request));
		CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
		CALL(MPI_Comm_set_name(comm, name));
		use(comm, name);
		before = comm;
		CALL(MPI_Comm_free(&before));
	}
	/* one that fails leaves the variable alone */
	before = comm;
	FAIL(MPI_Comm_idup(MPI_COMM_NULL, &comm, &request));
	CHECK(comm == before);
}

static void refused_handles(int *refused)
{
	int memory[4] = { 0 };
	MPI_Comm comm;
	MPI_Win win;

	CALL(MPI_Comm_dup(world, &comm));
	CALL(MPI_Comm_set_name(comm, "refused"));
	*refused = 1;
	FAIL(MPI_Comm_free(&comm));
	use(comm, "refused");
	CALL(MPI_Comm_free(&comm));

	EVENTS(MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, world, &win), (void)0,
	       expect_rma("create win=refused"));
	CALL(MPI_Win_set_name(win, "refused"));
	*refused = 1;
	FAIL(MPI_Win_free(&win));
	EVENTS(MPI_Win_fence(0, win), (void)0, expect_rma("fence win=refused"));
	EVENTS(MPI_Win_free(&win), (void)0, expect_rma("destroy win=refused"));
}

static void begins(const char *what, const char *how, int offset)
{
	ids++;
	expect_line("  io %s file=%s how=%s offset=%d bytes=4 request=0.%d", what, path, how, offset, ids);
}

static void refused_files(int *refused)
{
	MPI_Request request;
	MPI_File file;
	int value = 7;

	IO(MPI_File_open(world, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file),
	   "open file=%s comm=" WORLD " mode=rdwr|create", path);
	*refused = 1;
	FAIL(MPI_File_close(&file));

	EVENTS(MPI_File_iwrite_at(file, 4 * me, &value, 1, MPI_INT, &request), (void)0,
	       begins("write", "non-blocking|explicit", 4 * me));
	*refused = 1;
	EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0,
	       (expect_line("  error code=%d", ret_), expect_line("  io failed file=%s request=0.%d", path, ids)));

	EVENTS(MPI_File_write_at_all_begin(file, 4 * me, &value, 1, MPI_INT), (void)0,
	       begins("write", "collective|split|explicit", 4 * me));
	*refused = 1;
	EVENTS(MPI_File_write_at_all_end(file, &value, MPI_STATUS_IGNORE), (void)0,
	       (expect_line("  error code=%d", ret_), expect_line("  io failed file=%s request=0.%d", path, ids)));

	EVENTS(MPI_File_iwrite_at(file, 4 * me, &value, 1, MPI_INT, &request), (void)0,
	       begins("write", "non-blocking|explicit", 4 * me));
	IO(MPI_Wait(&request, MPI_STATUS_IGNORE), "done file=%s request=0.%d bytes=4", path, ids);
	IO(MPI_File_close(&file), "close file=%s", path);
}

int main(int argc, char **argv)
{
	int *refused = dlsym(RTLD_DEFAULT, "refuse_next");

	path = argc > 1 ? argv[1] : NULL;
	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(world, &me));
	peer = 1 - me;
	/* which of them an error comes to differs from MPI to MPI; communicators that are made have world's */
	CALL(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN));
	CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	communicator();
	window();
	again();
	if (path) {
		CHECK(refused);
		refused_handles(refused);
		refused_files(refused);
	}
	CALL(MPI_Finalize());
	return 0;
}
