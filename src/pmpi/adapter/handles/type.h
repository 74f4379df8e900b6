/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sizes of datatypes. Those that cannot change behind a handle are remembered: of predefined types,
 * and of types from MPI_Type_commit to MPI_Type_free. With them the size is had without an MPI
 * call, and so before a call has shown that the handle is valid. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_HANDLES_TYPE_H
#define HYB_PMPI_ADAPTER_HANDLES_TYPE_H

#include <mpi.h>

#include "core/sys/trie.h"
#include "core/record/record.h"

struct hyb_type {
	struct hyb_node node;	/* key: the handle */
	uint64_t size1;		/* bytes + 1; 0: not known now */
};

extern struct hyb_trie hyb_types;

/* Bytes + 1, or 0 where the type is not known. */
static inline uint64_t hyb_type_find(MPI_Datatype type)
{
	struct hyb_type *t = (struct hyb_type *)hyb_trie_find(&hyb_types, HYB_HANDLE(type));

	return hyb_likely(t != NULL) ? __atomic_load_n(&t->size1, __ATOMIC_RELAXED) : 0;
}

/* The size of a valid type that is not known. */
uint64_t hyb_type_ask(MPI_Datatype type) HYB_COLD;

/* The size of a type that is valid, because a call with it succeeded. */
static inline uint64_t hyb_type_size(MPI_Datatype type)
{
	uint64_t size1 = hyb_type_find(type);

	return hyb_likely(size1 != 0) ? size1 - 1 : hyb_type_ask(type);
}

/* Of so many elements. Where there are none the type may be anything: MPI_DATATYPE_NULL as well. */
static inline uint64_t hyb_type_bytes(MPI_Count count, MPI_Datatype type)
{
	return count > 0 ? (uint64_t)count * hyb_type_size(type) : 0;
}

/* MPI has started: the predefined types that programs use. */
void hyb_type_start(void);
void hyb_type_committed(MPI_Datatype type);
/* Before MPI_Type_free, after which the handle may at once be another's. */
void hyb_type_freeing(const MPI_Datatype *type);

#endif
