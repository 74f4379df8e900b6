/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which call a thread makes next. Where the order of a run is recorded or replayed, each call that communicates is looked
 * at before it is made: a replay is to make the same ones. It costs a hash and a look at what came last time after the same
 * two calls; only what is not that is written down (core/outcomes/order.h). Where delays are asked for, they come here, too.
 *
 * What a program calls is found before it has any effect on other ranks, so the rank that says that it does something else
 * than when it was recorded is the one where that began.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_CALLS_H
#define HYB_PMPI_ADAPTER_ORDER_CALLS_H

#include "pmpi/adapter/order/order.h"

/* The functions of C's and Fortran's that do this, by entry; what comes after each is in hyb_mpi_after_calls. Generated. */
extern void *const hyb_calls_functions[HYB_MPI_ENTRIES];
/*
 * Of each function its name and those of its values, with blanks between them; no values: it is named only, as what it
 * gives is not replayed; NULL: it is not looked at. Generated.
 */
extern const char *const hyb_calls_names[HYB_MPI_FUNCTIONS];

#define HYB_CALLS_NEXT(number) __atomic_load_n(&hyb_mpi_after_calls[number], __ATOMIC_RELAXED)

/* The call is not the expected one, or a replay knows that it is not: it is written down, or compared. */
void hyb_calls_unexpected(struct hyb_order *order, uint64_t *slot, uint64_t hash, unsigned int function,
			  unsigned int count, HYB_ORDER_CALL_VALUES) HYB_COLD;
/* Bytes of an element, by MPI; 0: of none. */
int64_t hyb_calls_asked_size(MPI_Datatype type);
/* The first call of a function that gives what is not replayed: the manifest names it. */
void hyb_calls_note_beyond(unsigned int function) HYB_COLD;
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
 * Sizes of predefined types, which never change behind a handle. In one word, as it is read while others may write it:
 * the handle, and bytes in the lowest 8 bits. A type that is derived has no other size here than that it is one.
 */
#define HYB_CALLS_SIZES 64
#define HYB_CALLS_DERIVED 0xff
extern uint64_t hyb_calls_sizes[HYB_CALLS_SIZES];

static inline uint64_t hyb_calls_size_key(MPI_Datatype type)
{
	return (uint64_t)(uintptr_t)type << 8;
}

/* Open MPI's types lie 512 bytes apart; MPICH's are numbers. */
static inline uint64_t *hyb_calls_size_place(MPI_Datatype type)
{
	const uint64_t handle = (uint64_t)(uintptr_t)type;

	return &hyb_calls_sizes[(handle ^ handle >> 9) % HYB_CALLS_SIZES];
}

/*
 * Without asking MPI; -1: it is not known. MPICH's handles of predefined types tell it (the ABI that its derivatives
 * share has them so).
 */
static inline int64_t hyb_calls_known_size(MPI_Datatype type)
{
	uint64_t size;

#ifdef MPICH
	if (hyb_likely(((unsigned int)type & 0xff000000) == 0x4c000000))
		return (unsigned int)type >> 8 & 0xff;
#endif
	size = __atomic_load_n(hyb_calls_size_place(type), __ATOMIC_RELAXED) - hyb_calls_size_key(type);
	return hyb_likely(size < HYB_CALLS_DERIVED) ? (int64_t)size : -1;
}

static inline int64_t hyb_calls_size(MPI_Datatype type)
{
	const int64_t size = hyb_calls_known_size(type);

	return hyb_likely(size >= 0) ? size : hyb_calls_asked_size(type);
}

/* What comes after the last call that was seen. */
static inline uint64_t *hyb_calls_slot(const struct hyb_order_calls *calls)
{
	return &calls->expected[hyb_order_expected_place(calls->last, calls->before)];
}

static inline void hyb_calls_seen(struct hyb_order_calls *calls, uint64_t hash)
{
	calls->count++;
	calls->before = calls->last;
	calls->last = hash;
}

/*
 * Before a call that makes no others: whether it is the expected one, which is all there is to it. Otherwise nothing
 * has been done, and hyb_calls_see is to do it; so it is with a size that is not known, as none that is seen is -1.
 */
static HYB_HOT bool hyb_calls_expected(unsigned int function, HYB_ORDER_CALL_VALUES)
{
	struct hyb_order *order = hyb_order_self;
	struct hyb_order_calls *calls;
	uint64_t hash;

	if (hyb_unlikely(!order))
		return false;
	calls = &order->calls;
	if (hyb_unlikely(calls->within | calls->noise))
		return false;
	hash = hyb_order_call_hash(function, HYB_ORDER_THESE_VALUES);
	if (hyb_unlikely(*hyb_calls_slot(calls) != hash || calls->count + 1 == calls->next))
		return false;
	hyb_calls_seen(calls, hash);
	return true;
}

/* Before a call that makes no others. count: of its values. */
static HYB_HOT struct hyb_order *hyb_calls_see(unsigned int function, unsigned int count, HYB_ORDER_CALL_VALUES)
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
	slot = hyb_calls_slot(calls);
	hyb_calls_seen(calls, hash);
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

/* By function: it was called. */
extern bool hyb_calls_noted[HYB_MPI_FUNCTIONS];

/* Before a call of such a function. */
static inline void hyb_calls_beyond(unsigned int function)
{
	if (hyb_unlikely(!__atomic_load_n(&hyb_calls_noted[function], __ATOMIC_RELAXED)))
		hyb_calls_note_beyond(function);
}

#endif
