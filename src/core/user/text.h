/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts that records name by a number. */
#ifndef HYB_CORE_USER_TEXT_H
#define HYB_CORE_USER_TEXT_H

#include <stdint.h>

/* Defines it, if that has not been done; what is longer than a definition takes is cut. 0 without memory. */
uint32_t hyb_user_text(const char *text);

#endif
