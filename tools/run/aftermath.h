/* SPDX-License-Identifier: BSD-3-Clause */
/* What hybmon run says of a recording when the command has ended. */
#ifndef HYB_TOOLS_RUN_AFTERMATH_H
#define HYB_TOOLS_RUN_AFTERMATH_H

/*
 * Where it is, what was lost, what recording cost, what weighs most in it, and which command shows more, on the
 * standard error. The list, which ends with NULL, has one experiment at least. A process of its own does it, which signals end
 * as any: they are blocked in this one.
 */
void hyb_aftermath_tell(char *const recordings[]);

#endif
