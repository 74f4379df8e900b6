/* SPDX-License-Identifier: BSD-3-Clause */
/* What the process executes is recorded, too, also where it is given an LD_PRELOAD of its own. */
#ifndef HYB_CORE_PROCESS_EXECUTE_H
#define HYB_CORE_PROCESS_EXECUTE_H

/* From the constructor: remembers by which name the library was preloaded. */
void hyb_execute_start(void);

#endif
