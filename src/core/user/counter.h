/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread keeps of the program's counters. */
#ifndef HYB_CORE_USER_COUNTER_H
#define HYB_CORE_USER_COUNTER_H

#include "core/user/user.h"

/* The thread ends. */
void hyb_user_free_values(struct hyb_user_thread *u);

#endif
