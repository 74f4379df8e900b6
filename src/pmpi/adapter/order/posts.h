/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open receives by their request: those that name any source or tag and are under way, and persistent ones also while
 * they are not. A hash table under a lock that is taken only where several threads may call MPI at once.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_POSTS_H
#define HYB_PMPI_ADAPTER_ORDER_POSTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct hyb_order;
struct hyb_order_shadow;

struct hyb_order_post {
	struct hyb_order *owner;	/* of the thread that posted it */
	uint64_t number;
	bool any_tag;
	bool forced;			/* in a replay: it is posted for the message it got, so it is not cancelled */
	bool active;			/* false: a persistent one that is not started */
	bool stands_in;			/* in a replay: on its request nothing ever comes; the shadow has the true one */
	struct hyb_order_shadow *shadow;	/* of a persistent one, or one that is posted later; NULL: it is none */
};

/* What such a receive is about, and what is posted in its place in a replay. */
struct hyb_order_shadow {
	void *buf;
	MPI_Count count;
	MPI_Datatype type;
	bool owns_type;
	int source;
	int tag;
	MPI_Comm comm;
	MPI_Request posted;		/* MPI_REQUEST_NULL: nothing is */
	struct hyb_order_shadow *next;	/* of those that are free, or of those that are held (held.h) */
};

/* NULL: there is no memory. One that is given back is used again. */
struct hyb_order_shadow *hyb_shadow_new(void);
void hyb_shadow_free(struct hyb_order_shadow *shadow);

/* How many there are; with 0 nobody needs to look. */
extern uint64_t hyb_posts_count;

/* false: there is no memory, and the order is lost. What stands there for the same handle is replaced. */
bool hyb_posts_put(MPI_Request request, const struct hyb_order_post *post);
/* false: it is none of them. Otherwise it is copied, and stands there no more. */
bool hyb_posts_take(MPI_Request request, struct hyb_order_post *post);
/* The same, but it stays. */
bool hyb_posts_find(MPI_Request request, struct hyb_order_post *post);
/* Several threads may come here at once. */
void hyb_posts_set_multiple(void);
bool hyb_posts_is_multiple(void);

static inline bool hyb_posts_any(void)
{
	return __atomic_load_n(&hyb_posts_count, __ATOMIC_RELAXED) != 0;
}

#endif
