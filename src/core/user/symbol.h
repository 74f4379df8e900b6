/* SPDX-License-Identifier: BSD-3-Clause */
/* What functions are called, for the filter: by the symbol tables of the program and its libraries. */
#ifndef HYB_CORE_USER_SYMBOL_H
#define HYB_CORE_USER_SYMBOL_H

#include <stddef.h>
#include <stdint.h>

/*
 * The symbols of the function that begins there, as the linker has them, in names[], which is zero and has `room` of
 * them: those beyond are not told, a constructor of C++ has two. Under the functions' lock; they stay as long as the
 * process.
 */
void hyb_user_symbols(uint64_t address, const char **names, size_t room);

#endif
