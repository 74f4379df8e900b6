/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether this process is a copy of one that is recorded, whoever made it: fork, _Fork or clone itself, of which the
 * last two call no handler. A copy has the mappings of its parent's streams, and would write into them.
 */
#ifndef HYB_CORE_RECORD_COPIED_H
#define HYB_CORE_RECORD_COPIED_H

#include <stdbool.h>

#include "core/sys/compiler.h"

/* From here on the kernel clears hyb_recording in every copy, so that the wrappers there do nothing. */
void hyb_copied_start(void);
/* True in a copy of a process that had called the above. Where the kernel cannot do it (before 4.14): never. */
HYB_EXPORT bool hyb_copied(void);

#endif
