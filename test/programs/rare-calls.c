/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rare-calls FILE: what local-calls.c and its like leave out, from C: sends of every kind, begun later or again and
 * again; error handlers and attributes of each kind of handle; what is asked of files, windows and graphs; conversions
 * of handles and statuses; the tool interface; large counts of files. Two ranks.
 */
#include "requests.h"

static int me;
static int peer;
static int mine[8];
static int got[8];

static void irecv(int tag, MPI_Request *request, int *number)
{
	EVENTS(MPI_Irecv(got, 8, MPI_INT, peer, tag, MPI_COMM_WORLD, request), (void)0, *number = expect_irecv());
	COLL(MPI_Barrier(MPI_COMM_WORLD), NO_ROOT, WORLD, 0, 0);
}

static void complete(MPI_Request *from, MPI_Request *to, int tag, int bytes, int r, int s)
{
	EVENTS(MPI_Wait(from, MPI_STATUS_IGNORE), (void)0, expect_irecv_done(peer, tag, WORLD, bytes, r));
	EVENTS(MPI_Wait(to, MPI_STATUS_IGNORE), (void)0, expect_request("sent", s));
	CHECK(got[0] == peer);
}

#define ISEND(kind, tag) do {							\
	irecv(tag, &from, &r);							\
	EVENTS(MPI_I##kind(mine, 3, MPI_INT, peer, tag, MPI_COMM_WORLD, &to),	\
	       s = expect_isend(peer, tag, WORLD, 12), (void)0);		\
	complete(&from, &to, tag, 12, r, s);					\
} while (0)

#define TWICE(Kind, tag) do {							\
	CALL(MPI_##Kind##_init(mine, 2, MPI_INT, peer, tag, MPI_COMM_WORLD, &to)); \
	for (int turn = 0; turn < 2; turn++) {					\
		irecv(tag, &from, &r);						\
		EVENTS(MPI_Start(&to), s = expect_isend(peer, tag, WORLD, 8), (void)0); \
		complete(&from, &to, tag, 8, r, s);				\
	}									\
	CALL(MPI_Request_free(&to));						\
} while (0)

static void sends(void)
{
	static char room[4000];
	MPI_Request from;
	MPI_Request to;
	void *address;
	int bytes;
	int r;
	int s;

	CALL(MPI_Buffer_attach(room, sizeof(room)));
	ISEND(send, 1);
	ISEND(ssend, 2);
	ISEND(rsend, 3);
	ISEND(bsend, 4);
	TWICE(Send, 5);
	TWICE(Ssend, 6);
	TWICE(Rsend, 7);
	TWICE(Bsend, 8);
	CALL(MPI_Buffer_detach(&address, &bytes));
	CHECK(address == room && bytes == sizeof(room));
}

static int handled;

static void comm_failed(MPI_Comm *comm, int *code, ...)
{
	handled += *comm == MPI_COMM_SELF && *code == MPI_ERR_OTHER;
}

static void win_failed(MPI_Win *win, int *code, ...)
{
	handled += *win != MPI_WIN_NULL && *code == MPI_ERR_OTHER;
}

static void file_failed(MPI_File *file, int *code, ...)
{
	handled += *file != MPI_FILE_NULL && *code == MPI_ERR_OTHER;
}

static void handlers(MPI_Win win)
{
	MPI_Errhandler handler;

	CALL(MPI_Comm_create_errhandler(comm_failed, &handler));
	CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
	CALL(MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER));
	CALL(MPI_Errhandler_free(&handler));
	CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
	CALL(MPI_Win_create_errhandler(win_failed, &handler));
	CALL(MPI_Win_set_errhandler(win, handler));
	CALL(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
	CALL(MPI_Errhandler_free(&handler));
	CALL(MPI_Win_get_errhandler(win, &handler));
	CALL(MPI_Errhandler_free(&handler));
	CALL(MPI_File_create_errhandler(file_failed, &handler));
	CALL(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
	CALL(MPI_Errhandler_free(&handler));
	CALL(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
	CALL(MPI_File_get_errhandler(MPI_FILE_NULL, &handler));
	CHECK(handler == MPI_ERRORS_RETURN && handled == 2);
}

static void attributes(MPI_Win win)
{
	MPI_Datatype type;
	int value = 3;
	int *found;
	int flag;
	int key;

	CALL(MPI_Type_dup(MPI_INT, &type));
	CALL(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL));
	CALL(MPI_Type_set_attr(type, key, &value));
	CALL(MPI_Type_get_attr(type, key, &found, &flag));
	CHECK(flag && found == &value);
	CALL(MPI_Type_delete_attr(type, key));
	CALL(MPI_Type_free_keyval(&key));
	CALL(MPI_Type_free(&type));
	CALL(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL));
	CALL(MPI_Win_set_attr(win, key, &value));
	CALL(MPI_Win_get_attr(win, key, &found, &flag));
	CHECK(flag && found == &value);
	CALL(MPI_Win_delete_attr(win, key));
	CALL(MPI_Win_free_keyval(&key));
}

static void windows(void)
{
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Group group;
	MPI_Info info;
	MPI_Aint bytes;
	MPI_Win win;
	int *memory;
	int length;
	int unit;

	EVENTS(MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win), (void)0,
	       expect_rma("create win=window allocated"));
	CALL(MPI_Win_set_name(win, "window"));
	CALL(MPI_Win_get_name(win, name, &length));
	CHECK(strcmp(name, "window") == 0);
	CALL(MPI_Win_shared_query(win, peer, &bytes, &unit, &memory));
	CHECK(bytes == sizeof(int) && unit == sizeof(int));
	CALL(MPI_Win_get_group(win, &group));
	CALL(MPI_Group_free(&group));
	CALL(MPI_Win_get_info(win, &info));
	CALL(MPI_Win_set_info(win, info));
	CALL(MPI_Info_free(&info));
	handlers(win);
	attributes(win);
	EVENTS(MPI_Win_free(&win), (void)0, expect_rma("destroy win=window allocated"));
	EVENTS(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win), (void)0, expect_rma("create win=dynamic"));
	CALL(MPI_Win_set_name(win, "dynamic"));
	CALL(MPI_Win_attach(win, mine, sizeof(mine)));
	CALL(MPI_Win_detach(win, mine));
	EVENTS(MPI_Win_free(&win), (void)0, expect_rma("destroy win=dynamic"));
}

static void graphs(void)
{
	int index[2] = { 1, 2 };
	int edges[2] = { 1, 0 };
	int list[2];
	int weights[2];
	int nodes;
	int n;
	MPI_Comm comm;

	CALL(MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &comm));
	CALL(MPI_Graphdims_get(comm, &nodes, &n));
	CHECK(nodes == 2 && n == 2);
	CALL(MPI_Graph_get(comm, 2, 2, index, edges));
	CALL(MPI_Graph_neighbors_count(comm, me, &n));
	CALL(MPI_Graph_neighbors(comm, me, 1, list));
	CHECK(n == 1 && list[0] == peer);
	CALL(MPI_Graph_map(comm, 2, index, edges, &n));
	CALL(MPI_Comm_free(&comm));
	CALL(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &peer, &nodes, 1, &peer, &nodes, MPI_INFO_NULL, 0, &comm));
	CALL(MPI_Dist_graph_neighbors_count(comm, &nodes, &n, &index[0]));
	CHECK(nodes == 1 && n == 1 && index[0]);
	CALL(MPI_Dist_graph_neighbors(comm, 1, list, weights, 1, list + 1, weights + 1));
	CHECK(list[0] == peer && list[1] == peer && weights[0] == 2);
	CALL(MPI_Comm_free(&comm));
}

static void types(void)
{
	int size[1] = { 4 };
	int how[1] = { MPI_DISTRIBUTE_BLOCK };
	int with[1] = { MPI_DISTRIBUTE_DFLT_DARG };
	int grid[1] = { 1 };
	int numbers[3];
	MPI_Aint places[1];
	MPI_Count lower;
	MPI_Count extent;
	MPI_Datatype inner[1];
	MPI_Datatype type;
	MPI_Status status;

	CALL(MPI_Type_create_darray(1, 0, 1, size, how, with, grid, MPI_ORDER_C, MPI_INT, &type));
	CALL(MPI_Type_get_extent_x(type, &lower, &extent));
	CALL(MPI_Type_get_true_extent_x(type, &lower, &extent));
	CHECK(extent == 4 * sizeof(int));
	CALL(MPI_Type_free(&type));
	CALL(MPI_Type_vector(2, 1, 3, MPI_INT, &type));
	CALL(MPI_Type_get_contents(type, 3, 0, 1, numbers, places, inner));
	CHECK(numbers[2] == 3 && inner[0] == MPI_INT);
	CALL(MPI_Type_free(&type));
	CALL(MPI_Type_create_f90_real(6, 30, &type));
	CALL(MPI_Type_create_f90_complex(6, 30, &type));
	memset(&status, 0, sizeof(status));
	CALL(MPI_Status_set_elements_x(&status, MPI_INT, 5));
	CALL(MPI_Get_elements_x(&status, MPI_INT, &extent));
	CHECK(extent == 5);
}

/* Functions in one MPI, macros in the other: then there is nothing to record. */
static void conversions(void)
{
	MPI_Fint fstatus[64];
	MPI_Status status;

	memset(&status, 0, sizeof(status));
	status.MPI_TAG = 9;
	CALL(MPI_Status_c2f(&status, fstatus));
	status.MPI_TAG = 0;
	CALL(MPI_Status_f2c(fstatus, &status));
	CHECK(status.MPI_TAG == 9);
#ifndef MPI_Group_c2f
	MPI_Fint group = CALL(MPI_Group_c2f(MPI_GROUP_EMPTY));

	CHECK(CALL(MPI_Group_f2c(group)) == MPI_GROUP_EMPTY);
#endif
}

/* The tool information interface, as far as an MPI has something to say there. */
static void tool(void)
{
	char name[256];
	char text[1024];
	int name_length = sizeof(name);
	int text_length = sizeof(text);
	MPI_T_pvar_session session;
	MPI_T_enum values;
	MPI_Datatype type;
	int verbosity;
	int bind;
	int scope;
	int index;
	int n;

	CALL(MPI_T_init_thread(MPI_THREAD_SINGLE, &n));
	CALL(MPI_T_cvar_get_num(&n));
	if (n > 0) {
		CALL(MPI_T_cvar_get_info(0, name, &name_length, &verbosity, &type, &values, text, &text_length, &bind,
					 &scope));
		CALL(MPI_T_cvar_get_index(name, &index));
		CHECK(index == 0);
	}
	CALL(MPI_T_category_get_num(&n));
	if (n > 0) {
		int members[3];

		name_length = sizeof(name);
		text_length = sizeof(text);
		CALL(MPI_T_category_get_info(0, name, &name_length, text, &text_length, &members[0], &members[1],
					     &members[2]));
		CALL(MPI_T_category_get_index(name, &index));
		CALL(MPI_T_category_get_cvars(0, 0, NULL));
	}
	CALL(MPI_T_category_changed(&n));
	CALL(MPI_T_pvar_get_num(&n));
	CALL(MPI_T_pvar_session_create(&session));
	CALL(MPI_T_pvar_session_free(&session));
	CALL(MPI_T_finalize());
}

static void files(const char *path)
{
	char representation[MPI_MAX_DATAREP_STRING];
	MPI_Errhandler handler;
	MPI_Datatype filetype;
	MPI_Datatype etype;
	MPI_Offset offset;
	MPI_Aint extent;
	MPI_Group group;
	MPI_File file;
	MPI_Info info;
	int flag;

	IO(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
	   "open file=%s comm=" WORLD " mode=rdwr|create", path);
	CALL(MPI_File_create_errhandler(file_failed, &handler));
	CALL(MPI_File_set_errhandler(file, handler));
	CALL(MPI_File_call_errhandler(file, MPI_ERR_OTHER));
	CHECK(handled == 3);
	CALL(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN));
	CALL(MPI_Errhandler_free(&handler));
	CALL(MPI_File_get_amode(file, &flag));
	CALL(MPI_File_get_group(file, &group));
	CALL(MPI_Group_free(&group));
	CALL(MPI_File_get_info(file, &info));
	CALL(MPI_File_set_info(file, info));
	CALL(MPI_Info_free(&info));
	CALL(MPI_File_get_view(file, &offset, &etype, &filetype, representation));
	CALL(MPI_File_get_type_extent(file, MPI_INT, &extent));
	CHECK(extent == sizeof(int));
	CALL(MPI_File_get_atomicity(file, &flag));
	CALL(MPI_File_get_position(file, &offset));
	CALL(MPI_File_get_position_shared(file, &offset));
	CALL(MPI_File_get_byte_offset(file, 5, &offset));
	CHECK(offset == 5);
#ifdef HYB_HAS_MPI_File_write_at_c
	MPI_Count n = 2;
	MPI_Request request;

	offset = me * 8;
	IO(MPI_File_write_at_c(file, offset, mine, n, MPI_INT, MPI_STATUS_IGNORE),
	   "write file=%s how=explicit offset=%d bytes=8 done=8", path, 8 * me);
	IO(MPI_File_read_at_all_c(file, offset, got, n, MPI_INT, MPI_STATUS_IGNORE),
	   "read file=%s how=collective|explicit offset=%d bytes=8 done=8", path, 8 * me);
	CHECK(got[0] == me);
	request_count += 2;
	EVENTS(MPI_File_iwrite_at_c(file, offset, mine, n, MPI_INT, &request), (void)0,
	       expect_line("  io write file=%s how=non-blocking|explicit offset=%d bytes=8 request=0.%d", path, 8 * me,
			   request_new()));
	IO(MPI_Wait(&request, MPI_STATUS_IGNORE), "done file=%s request=0.%d bytes=8", path, request_count);
	EVENTS(MPI_File_read_at_all_begin_c(file, offset, got, n, MPI_INT), (void)0,
	       expect_line("  io read file=%s how=collective|split|explicit offset=%d bytes=8 request=0.%d", path, 8 * me,
			   request_new()));
	IO(MPI_File_read_at_all_end(file, got, MPI_STATUS_IGNORE), "done file=%s request=0.%d bytes=8", path,
	   request_count);
#endif
	IO(MPI_File_close(&file), "close file=%s", path);
}

int main(int argc, char **argv)
{
	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	CHECK(argc > 1);
	peer = 1 - me;
	for (int i = 0; i < 8; i++)
		mine[i] = me;
	sends();
	windows();
	graphs();
	types();
	conversions();
	tool();
	files(argv[1]);
	CALL(MPI_Finalize());
	return 0;
}
