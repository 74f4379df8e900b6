/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that a thread keeps for what a call needs while it lasts; hyb_thread_scratch in record.h is its use. */
#ifndef HYB_CORE_RECORD_SCRATCH_H
#define HYB_CORE_RECORD_SCRATCH_H

#include "core/record/record.h"

/* The thread ends: gives all of it back. */
void hyb_scratch_free(struct hyb_thread *t);
/* The call that uses it was left, but may only be suspended: it gets fresh memory, the old is kept for a while. */
void hyb_scratch_keep(struct hyb_thread *t);

#endif
