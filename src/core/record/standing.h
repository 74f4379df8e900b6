/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a thread stands while it is in an MPI call: format/standing.h says how it looks. A wrapper does, between
 * hyb_enter and hyb_publish,
 *
 *	hyb_stand(p, FORM);
 *
 * where p is where the Enter's group ends, and what the form has follows p[0]. The stores go where the next records
 * will, so no other cache line is touched, and nothing has to be cleared when the call comes back. The object that the
 * site lies in was defined with the Enter.
 */
#ifndef HYB_CORE_RECORD_STANDING_H
#define HYB_CORE_RECORD_STANDING_H

#include "format/standing.h"
#include "core/record/record.h"

/* site: where the program called. */
static HYB_HOT_PART void hyb_stand_at(uint64_t *p, enum hyb_standing_form form, uint64_t site)
{
	/* No program's address has more bits. */
	*p = (uint64_t)HYB_STANDING << HYB_TYPE_SHIFT | (uint64_t)form << HYB_STANDING_FORM_SHIFT |
	     site;
}

static HYB_HOT void hyb_stand(uint64_t *p, enum hyb_standing_form form)
{
	hyb_stand_at(p, form, (uint64_t)(uintptr_t)__builtin_return_address(0));
}

/* An Enter that ends at p is published of which that is not told. What stands there may be from an earlier chunk. */
static HYB_HOT void hyb_stand_untold(uint64_t *p)
{
	*p = 0;
}

#endif
