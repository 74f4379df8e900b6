/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which call a thread makes next. Where the order of a run is recorded or replayed, each call that communicates is looked
 * at before it is made: a replay is to make the same ones. It costs a hash and a look at what came last time after the same
 * two calls; only what is not that is written down (record/order.h). Where delays are asked for, they come here, too.
 *
 * What a program calls is found before it has any effect on other ranks, so the rank that says that it does something else
 * than when it was recorded is the one where that began.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_CALLS_H
#define HYB_PMPI_ADAPTER_ORDER_CALLS_H

#include "pmpi/adapter/order/order.h"

/* The functions of C's and Fortran's that do this, by entry; what comes after each is in hyb_mpi_after_calls. Generated. */
extern void *const hyb_calls_functions[HYB_MPI_ENTRIES];
/* Of each function its name and those of its values, with blanks between them; NULL: it is not looked at. Generated. */
extern const char *const hyb_calls_names[HYB_MPI_FUNCTIONS];

#define HYB_CALLS_NEXT(number) __atomic_load_n(&hyb_mpi_after_calls[number], __ATOMIC_RELAXED)

/* The call is not the expected one, or a replay knows that it is not: it is written down, or compared. */
void hyb_calls_unexpected(struct hyb_order *order, uint64_t *slot, uint64_t hash, unsigned int function,
			  unsigned int count, const int64_t *values) HYB_COLD;
/* Waits a moment, or not. */
void hyb_calls_delay(struct hyb_order *order);

/* Ranks as all MPIs have them, and numbers of our own for what each has another one for. */
static inline int64_t hyb_calls_rank(int rank)
{
	if (hyb_likely(rank >= 0))
		return rank;
	return rank == MPI_ANY_SOURCE ? -1 : rank == MPI_PROC_NULL ? -2 : rank == MPI_ROOT ? -3 : rank;
}

/*
 * Bytes of an element. MPICH's handles of predefined types tell it (the ABI that its derivatives share has them so);
 * otherwise MPI is asked, which is quick.
 */
static inline int64_t hyb_calls_size(MPI_Datatype type)
{
	int size = 0;

#ifdef MPICH
	if (hyb_likely(((unsigned int)type & 0xff000000) == 0x4c000000))
		return (unsigned int)type >> 8 & 0xff;
#endif
	if (type != MPI_DATATYPE_NULL)
		PMPI_Type_size(type, &size);
	return size;
}

/* Odd numbers with bits all over, so that the upper bits of the sum depend on all values. */
static inline uint64_t hyb_calls_hash(unsigned int function, unsigned int count, const int64_t *values)
{
	static const uint64_t factors[HYB_ORDER_VALUES] = {
		UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xc2b2ae3d27d4eb4f), UINT64_C(0xff51afd7ed558ccd),
		UINT64_C(0xd6e8feb86659fd93), UINT64_C(0xa0761d6478bd642f), UINT64_C(0xe7037ed1a0b428db),
		UINT64_C(0x8ebc6af09c88c6e3), UINT64_C(0x589965cc75374cc3),
	};
	uint64_t hash = (function + 1) * UINT64_C(0xbf58476d1ce4e5b9);

	for (unsigned int i = 0; i < count; i++)
		hash += (uint64_t)values[i] * factors[i];
	return hash;
}

/* To be given to hyb_calls_end after the call. */
static inline struct hyb_order *hyb_calls_begin(unsigned int function, unsigned int count, const int64_t *values)
{
	struct hyb_order *order = hyb_order_mine();
	struct hyb_order_calls *calls = &order->calls;
	uint64_t *slot;
	uint64_t hash;

	if (hyb_unlikely(calls->noise) && calls->within == !calls->expected)
		hyb_calls_delay(order);
	if (hyb_unlikely(calls->within++))
		return order;
	hash = hyb_calls_hash(function, count, values);
	slot = &calls->expected[(calls->last + (calls->before << 1)) >> (64 - HYB_ORDER_EXPECTED_BITS)];
	calls->count++;
	if (hyb_unlikely(*slot != hash || calls->count == calls->next))
		hyb_calls_unexpected(order, slot, hash, function, count, values);
	calls->before = calls->last;
	calls->last = hash;
	return order;
}

static inline void hyb_calls_end(struct hyb_order *order)
{
	order->calls.within--;
}

#endif
