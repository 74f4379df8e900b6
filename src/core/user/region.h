/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of the program's own regions. */
#ifndef HYB_CORE_USER_REGION_H
#define HYB_CORE_USER_REGION_H

#include <stdint.h>

/* A new one, as small as there are. */
uint32_t hyb_user_region_id(void);

#endif
