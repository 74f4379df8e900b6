/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The numbers of requests and of other operations that outlive the call that begins them: by these a record of the end
 * tells which operation it is of. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_REQUEST_NUMBER_H
#define HYB_PMPI_ADAPTER_REQUEST_NUMBER_H

#include "core/record/record.h"

/* A number for an operation of this thread, which is recording; see enum hyb_record_type. */
static HYB_HOT uint64_t hyb_request_number(void)
{
	return hyb_new_id();
}

/* How far the request with that number is from the chunk's first ones, or HYB_NEAR_NONE. */
static HYB_HOT uint64_t hyb_request_near(uint64_t id)
{
	uint64_t distance = id - hyb_self.chunk->requests + HYB_NEAR_BEFORE;

	return hyb_likely(distance < HYB_NEAR_NONE) ? distance : HYB_NEAR_NONE;
}

#endif
