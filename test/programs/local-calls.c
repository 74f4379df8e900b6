/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One call at least of what needs no more than an Enter and a Leave: datatypes, groups, info objects,
 * attributes, error handlers, operations, addresses, conversions, environment, the tool interface. On any
 * number of ranks; see also enter-leave.c.
 */
#include "expect.h"

static MPI_Comm world = MPI_COMM_WORLD;
static int me;
static int size;

static void environment(void)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING];
	int length;
	int major;
	int minor;
	void *memory;
	int flag;

	CHECK(CALL(MPI_Wtime()) >= 0);
	CHECK(CALL(MPI_Wtick()) > 0);
	CALL(MPI_Get_version(&major, &minor));
	CALL(MPI_Get_library_version(text, &length));
	CALL(MPI_Get_processor_name(text, &length));
	CALL(MPI_Initialized(&flag));
	CALL(MPI_Finalized(&flag));
	CALL(MPI_Query_thread(&flag));
	CALL(MPI_Is_thread_main(&flag));
	CALL(MPI_Alloc_mem(100, MPI_INFO_NULL, &memory));
	CALL(MPI_Free_mem(memory));
	CALL(MPI_Pcontrol(1));
	CALL(MPI_Pcontrol(2, "text", 3.0));
	printf("%d: version %d.%d\n", me, major, minor);
}

static void made(MPI_Datatype *type, const char *what)
{
	MPI_Count large;
	MPI_Aint lower;
	MPI_Aint extent;
	int bytes;

	CALL(MPI_Type_commit(type));
	CALL(MPI_Type_size(*type, &bytes));
	CALL(MPI_Type_size_x(*type, &large));
	CALL(MPI_Type_get_extent(*type, &lower, &extent));
	CALL(MPI_Type_get_true_extent(*type, &lower, &extent));
	printf("%d: %s: %d bytes\n", me, what, bytes);
	CALL(MPI_Type_free(type));
}

static void types(void)
{
	MPI_Datatype parts[2] = { MPI_INT, MPI_DOUBLE };
	MPI_Aint places[2] = { 0, 8 };
	int lengths[2] = { 1, 2 };
	int offsets[2] = { 0, 4 };
	int n[4] = { 4, 4, 2, 2 };
	int zeros[2] = { 0, 0 };
	MPI_Datatype type;
	MPI_Datatype copy;
	char name[MPI_MAX_OBJECT_NAME];
	int length;
	int kind;

	CALL(MPI_Type_contiguous(3, MPI_INT, &type));
	CALL(MPI_Type_dup(type, &copy));
	CALL(MPI_Type_set_name(copy, "copy"));
	CALL(MPI_Type_get_name(copy, name, &length));
	CALL(MPI_Type_get_envelope(copy, &lengths[0], &lengths[1], &length, &kind));
	lengths[0] = 1;
	lengths[1] = 2;
	made(&copy, "dup");
	made(&type, "contiguous");
	CALL(MPI_Type_vector(2, 1, 3, MPI_INT, &type));
	made(&type, "vector");
	CALL(MPI_Type_create_hvector(2, 1, 12, MPI_INT, &type));
	made(&type, "hvector");
	CALL(MPI_Type_indexed(2, lengths, offsets, MPI_INT, &type));
	made(&type, "indexed");
	CALL(MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type));
	made(&type, "hindexed");
	CALL(MPI_Type_create_indexed_block(2, 1, offsets, MPI_INT, &type));
	made(&type, "indexed block");
	CALL(MPI_Type_create_hindexed_block(2, 1, places, MPI_INT, &type));
	made(&type, "hindexed block");
	CALL(MPI_Type_create_struct(2, lengths, places, parts, &type));
	made(&type, "struct");
	CALL(MPI_Type_create_resized(MPI_INT, 0, 16, &type));
	made(&type, "resized");
	CALL(MPI_Type_create_subarray(2, n, n + 2, zeros, MPI_ORDER_C, MPI_INT, &type));
	made(&type, "subarray");
	CALL(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type));
	CALL(MPI_Type_create_f90_integer(9, &type));
}

static void packing(void)
{
	char buffer[64];
	int value = 5;
	int at = 0;
	int n;
	MPI_Aint place;
	MPI_Aint where = 0;

	CALL(MPI_Pack_size(1, MPI_INT, world, &n));
	CALL(MPI_Pack(&value, 1, MPI_INT, buffer, sizeof(buffer), &at, world));
	at = 0;
	CALL(MPI_Unpack(buffer, sizeof(buffer), &at, &value, 1, MPI_INT, world));
	CALL(MPI_Pack_external_size("external32", 1, MPI_INT, &place));
	CALL(MPI_Pack_external("external32", &value, 1, MPI_INT, buffer, sizeof(buffer), &where));
	where = 0;
	CALL(MPI_Unpack_external("external32", buffer, sizeof(buffer), &where, &value, 1, MPI_INT));
	CHECK(value == 5);
	CALL(MPI_Get_address(buffer, &place));
}

static void groups(void)
{
	int range[1][3] = { { 0, size - 1, 1 } };
	int ranks[1] = { 0 };
	int n;
	MPI_Group all;
	MPI_Group one;
	MPI_Group group;

	CALL(MPI_Comm_group(world, &all));
	CALL(MPI_Group_rank(all, &n));
	CALL(MPI_Group_size(all, &n));
	CHECK(n == size);
	CALL(MPI_Group_incl(all, 1, ranks, &one));
	CALL(MPI_Group_excl(all, 1, ranks, &group));
	CALL(MPI_Group_free(&group));
	CALL(MPI_Group_union(all, one, &group));
	CALL(MPI_Group_compare(all, group, &n));
	CHECK(n == MPI_IDENT);
	CALL(MPI_Group_free(&group));
	CALL(MPI_Group_intersection(all, one, &group));
	CALL(MPI_Group_free(&group));
	CALL(MPI_Group_difference(all, one, &group));
	CALL(MPI_Group_free(&group));
	CALL(MPI_Group_range_incl(all, 1, range, &group));
	CALL(MPI_Group_free(&group));
	CALL(MPI_Group_range_excl(one, 0, range, &group));
	CALL(MPI_Group_free(&group));
	CALL(MPI_Group_translate_ranks(one, 1, ranks, all, &n));
	CHECK(n == 0);
	CALL(MPI_Group_free(&one));
	CALL(MPI_Group_free(&all));
}

static void infos(void)
{
	char value[16];
	MPI_Info info;
	MPI_Info copy;
	int flag;
	int n;

	CALL(MPI_Info_create(&info));
	CALL(MPI_Info_set(info, "key", "value"));
	CALL(MPI_Info_get(info, "key", 15, value, &flag));
	CHECK(flag && strcmp(value, "value") == 0);
	CALL(MPI_Info_get_valuelen(info, "key", &n, &flag));
	CALL(MPI_Info_get_nkeys(info, &n));
	CALL(MPI_Info_get_nthkey(info, 0, value));
	CALL(MPI_Info_dup(info, &copy));
	CALL(MPI_Info_delete(copy, "key"));
	CALL(MPI_Info_free(&copy));
	CALL(MPI_Comm_set_info(world, info));
	CALL(MPI_Comm_get_info(world, &copy));
	CALL(MPI_Info_free(&copy));
	CALL(MPI_Info_free(&info));
}

static void attributes(void)
{
	int value = 3;
	int *got;
	int flag;
	int key;

	CALL(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
	CALL(MPI_Comm_set_attr(MPI_COMM_SELF, key, &value));
	CALL(MPI_Comm_get_attr(MPI_COMM_SELF, key, &got, &flag));
	CHECK(flag && *got == 3);
	CALL(MPI_Comm_delete_attr(MPI_COMM_SELF, key));
	CALL(MPI_Comm_free_keyval(&key));
	CALL(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL));
	CALL(MPI_Type_free_keyval(&key));
	CALL(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL));
	CALL(MPI_Win_free_keyval(&key));
	CALL(MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL));
	CALL(MPI_Attr_put(MPI_COMM_SELF, key, &value));
	CALL(MPI_Attr_get(MPI_COMM_SELF, key, &got, &flag));
	CALL(MPI_Attr_delete(MPI_COMM_SELF, key));
	CALL(MPI_Keyval_free(&key));
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static void operations(void)
{
	long long bytes = size * (long long)sizeof(int);
	int value = me;
	int all = 0;
	int flag;
	MPI_Op op;

	CALL(MPI_Op_create(add, 1, &op));
	CALL(MPI_Op_commutative(op, &flag));
	CHECK(flag);
	COLL(MPI_Allreduce(&value, &all, 1, MPI_INT, op, world), NO_ROOT, "MPI_COMM_WORLD", bytes, bytes);
	CHECK(all == size * (size - 1) / 2);
	CALL(MPI_Op_free(&op));
}

static void errors(void)
{
	char text[MPI_MAX_ERROR_STRING];
	MPI_Errhandler handler;
	int length;
	int class;
	int code;

	CALL(MPI_Comm_get_errhandler(world, &handler));
	CALL(MPI_Errhandler_free(&handler));
	CALL(MPI_Add_error_class(&class));
	CALL(MPI_Add_error_code(class, &code));
	CALL(MPI_Add_error_string(code, "text"));
	CALL(MPI_Error_string(code, text, &length));
	CHECK(strcmp(text, "text") == 0);
	CALL(MPI_Error_class(code, &length));
	CHECK(length == class);
}

static void tool(void)
{
	int provided;
	int n;

	CALL(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	CALL(MPI_T_cvar_get_num(&n));
	CALL(MPI_T_pvar_get_num(&n));
	CALL(MPI_T_category_get_num(&n));
	CALL(MPI_T_finalize());
}

/* Functions in one MPI, macros in the other: then there is nothing to record. */
static void conversions(void)
{
#ifndef MPI_Comm_c2f
	MPI_Fint comm = CALL(MPI_Comm_c2f(world));

	CHECK(CALL(MPI_Comm_f2c(comm)) == world);
#endif
#ifndef MPI_Type_c2f
	MPI_Fint type = CALL(MPI_Type_c2f(MPI_INT));

	CHECK(CALL(MPI_Type_f2c(type)) == MPI_INT);
#endif
#ifndef MPI_Aint_add
	CHECK(CALL(MPI_Aint_add((MPI_Aint)100, 8)) == 108);
	CHECK(CALL(MPI_Aint_diff((MPI_Aint)108, 100)) == 8);
#endif
}

int main(int argc, char **argv)
{
	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(world, &me));
	CALL(MPI_Comm_size(world, &size));
	environment();
	types();
	packing();
	groups();
	infos();
	attributes();
	operations();
	errors();
	tool();
	conversions();
	CALL(MPI_Finalize());
	return 0;
}
