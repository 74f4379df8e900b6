/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which thread is which in every run of a program, for a replay: the numbers that threads get as they come differ from
 * run to run. OpenMP's numbers do not.
 */
#ifndef HYB_CORE_OUTCOMES_IDENTITY_H
#define HYB_CORE_OUTCOMES_IDENTITY_H

#include <stdint.h>

/*
 * Of the calling thread, at its first call that matters: by its numbers in the teams of OpenMP that it is in; the second
 * thread that has these gets another one, and so on. 0: it is in none, so nothing is known.
 */
uint64_t hyb_identity_make(void);

#endif
