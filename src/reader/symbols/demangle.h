/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of C++ as people write them. Who knows how is the library of GCC's or LLVM's C++; it is looked for when the
 * first such name comes, so that nothing here depends on it. Thread-safe.
 */
#ifndef HYB_READER_SYMBOLS_DEMANGLE_H
#define HYB_READER_SYMBOLS_DEMANGLE_H

/* To be freed. NULL: it is none of C++, there is no such library, or no memory; the symbol is the name then. */
char *hyb_demangle(const char *symbol);

#endif
