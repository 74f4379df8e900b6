/* SPDX-License-Identifier: BSD-3-Clause */
/* What there is when a recorded command has ended; if it is nothing, why. */
#ifndef HYB_TOOLS_RUN_OUTCOME_H
#define HYB_TOOLS_RUN_OUTCOME_H

#include "tools/run/prepare.h"

/*
 * Says what was recorded (aftermath.h), or in one line that nothing was and why. The status is the command's, as waitpid(2) has it;
 * the run's key and place are in the environment.
 */
void hyb_outcome_say(const struct hyb_plan *plan, int status);

#endif
