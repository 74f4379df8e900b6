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

#include "pmpi/adapter/handles/type.h"
#include "pmpi/adapter/order/order.h"

/* The functions of C's and Fortran's that do this, by entry; what comes after each is in hyb_mpi_after_calls. Generated. */
extern void *const hyb_calls_functions[HYB_MPI_ENTRIES];
/* Of each function its name and those of its values, with blanks between them; NULL: it is not looked at. Generated. */
extern const char *const hyb_calls_names[HYB_MPI_FUNCTIONS];

#define HYB_CALLS_NEXT(number) __atomic_load_n(&hyb_mpi_after_calls[number], __ATOMIC_RELAXED)

/* The call is not the expected one, or a replay knows that it is not: it is written down, or compared. */
void hyb_calls_unexpected(struct hyb_order *order, uint64_t *slot, uint64_t hash, unsigned int function,
			  unsigned int count, HYB_ORDER_CALL_VALUES) HYB_COLD;
/* Bytes of an element, by MPI; 0: of none. */
int64_t hyb_calls_asked_size(MPI_Datatype type);
/* Waits a moment, or not. */
void hyb_calls_delay(struct hyb_order *order);

/* Ranks as all MPIs have them, and numbers of our own for what each has another one for. */
static inline int64_t hyb_calls_rank(int rank)
{
	if (hyb_likely(rank >= 0))
		return rank;
	return rank == MPI_ANY_SOURCE ? -1 : rank == MPI_PROC_NULL ? -2 : rank == MPI_ROOT ? -3 : rank;
}

/* MPICH's handles of predefined types tell it (the ABI that its derivatives share has them so). */
static inline int64_t hyb_calls_size(MPI_Datatype type)
{
	uint64_t size1;

#ifdef MPICH
	if (hyb_likely(((unsigned int)type & 0xff000000) == 0x4c000000))
		return (unsigned int)type >> 8 & 0xff;
#endif
	size1 = hyb_type_find(type);
	return hyb_likely(size1 != 0) ? (int64_t)(size1 - 1) : hyb_calls_asked_size(type);
}

/* Before a call that makes no others. count: of its values. */
static inline __attribute__((always_inline)) struct hyb_order *hyb_calls_see(unsigned int function, unsigned int count,
									     HYB_ORDER_CALL_VALUES)
{
	struct hyb_order *order = hyb_order_mine();
	struct hyb_order_calls *calls = &order->calls;
	uint64_t *slot;
	uint64_t hash;

	if (hyb_unlikely(calls->noise) && calls->within == !calls->expected)
		hyb_calls_delay(order);
	if (hyb_unlikely(calls->within))
		return order;
	hash = hyb_order_call_hash(function, HYB_ORDER_THESE_VALUES);
	slot = &calls->expected[hyb_order_expected_place(calls->last, calls->before)];
	calls->count++;
	calls->before = calls->last;
	calls->last = hash;
	if (hyb_unlikely(*slot != hash || calls->count == calls->next))
		hyb_calls_unexpected(order, slot, hash, function, count, HYB_ORDER_THESE_VALUES);
	return order;
}

/* Before one that may: what is returned is given to hyb_calls_end after it. */
struct hyb_order *hyb_calls_begin(unsigned int function, unsigned int count, HYB_ORDER_CALL_VALUES);

static inline void hyb_calls_end(struct hyb_order *order)
{
	order->calls.within--;
}

#endif
