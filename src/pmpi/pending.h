/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of requests as those see it that put operations into it; see request.h. Part of the adapter. */
#ifndef HYB_PMPI_PENDING_H
#define HYB_PMPI_PENDING_H

#include "pmpi/request.h"

/* The entry of a handle, or NULL, and its lock, held for a few instructions. */
struct hyb_request *hyb_request_entry(MPI_Request request);
void hyb_request_lock(struct hyb_request *r);
void hyb_request_unlock(struct hyb_request *r);

/* Puts a copy of op to the others of its handle. */
void hyb_request_add(MPI_Request request, const struct hyb_op *op);
/*
 * The same in two steps: an operation to fill in, in the entry, which is then locked, and its end. NULL without memory
 * and of MPI_REQUEST_NULL. alone: MPIs make an object for such a request.
 */
struct hyb_op *hyb_request_begin(struct hyb_request **entry, MPI_Request request, uint64_t turn, bool alone);
void hyb_request_end(struct hyb_request *r, struct hyb_op *op);

/* The persistent operation of an entry that is locked; what else is there is another thread's. Leads to NULL: none. */
struct hyb_op **hyb_request_persistent(struct hyb_request *r, uint32_t newest);

/* Takes out the operation that a link of the queue leads to; the entry is locked. */
void hyb_request_drop(struct hyb_request *r, struct hyb_op **link);

#endif
