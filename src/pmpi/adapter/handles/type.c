/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of datatypes; see type.h. */
#include "pmpi/adapter/handles/type.h"

struct hyb_trie hyb_types;

static uint64_t ask(MPI_Datatype type)
{
	MPI_Count size = 0;

	PMPI_Type_size_x(type, &size);
	return size > 0 ? (uint64_t)size : 0;
}

static void remember(MPI_Datatype type, uint64_t size)
{
	struct hyb_node *node = hyb_trie_add(&hyb_types, HYB_HANDLE(type), sizeof(struct hyb_type));

	if (node)
		__atomic_store_n(&((struct hyb_type *)node)->size1, size + 1, __ATOMIC_RELAXED);
}

uint64_t hyb_type_ask(MPI_Datatype type)
{
	int combiner = MPI_UNDEFINED;
	uint64_t size;
	int n[3];

	/* Some MPIs take it for the type of no elements, and none can say its size. */
	if (type == MPI_DATATYPE_NULL)
		return 0;
	size = ask(type);
	PMPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &combiner);
	if (combiner == MPI_COMBINER_NAMED)
		remember(type, size);
	return size;
}

void hyb_type_start(void)
{
	const MPI_Datatype types[] = {
		MPI_BYTE,
		MPI_PACKED,
		MPI_CHAR,
		MPI_SIGNED_CHAR,
		MPI_UNSIGNED_CHAR,
		MPI_WCHAR,
		MPI_SHORT,
		MPI_UNSIGNED_SHORT,
		MPI_INT,
		MPI_UNSIGNED,
		MPI_LONG,
		MPI_UNSIGNED_LONG,
		MPI_LONG_LONG,
		MPI_UNSIGNED_LONG_LONG,
		MPI_FLOAT,
		MPI_DOUBLE,
		MPI_LONG_DOUBLE,
		MPI_INT8_T,
		MPI_INT16_T,
		MPI_INT32_T,
		MPI_INT64_T,
		MPI_UINT8_T,
		MPI_UINT16_T,
		MPI_UINT32_T,
		MPI_UINT64_T,
		MPI_AINT,
		MPI_COUNT,
		MPI_OFFSET,
		MPI_C_BOOL,
		MPI_C_FLOAT_COMPLEX,
		MPI_C_DOUBLE_COMPLEX,
		MPI_FLOAT_INT,
		MPI_DOUBLE_INT,
		MPI_LONG_INT,
		MPI_2INT,
		MPI_SHORT_INT,
		MPI_INTEGER,
		MPI_REAL,
		MPI_DOUBLE_PRECISION,
		MPI_COMPLEX,
		MPI_DOUBLE_COMPLEX,
		MPI_LOGICAL,
		MPI_CHARACTER,
	};
	size_t i;

	/* An MPI without Fortran has no types for it; another version of its library may lack one altogether. */
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i] != MPI_DATATYPE_NULL && types[i] != (MPI_Datatype)0)
			remember(types[i], ask(types[i]));
	}
}

void hyb_type_committed(MPI_Datatype type)
{
	remember(type, ask(type));
}

void hyb_type_freeing(const MPI_Datatype *type)
{
	struct hyb_node *node = type ? hyb_trie_find(&hyb_types, HYB_HANDLE(*type)) : NULL;
	struct hyb_type *t = (struct hyb_type *)node;

	if (t)
		__atomic_store_n(&t->size1, 0, __ATOMIC_RELAXED);
}
