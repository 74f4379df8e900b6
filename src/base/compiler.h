/* SPDX-License-Identifier: BSD-3-Clause */
/* What the compiler is told about functions and branches. */
#ifndef HYB_BASE_COMPILER_H
#define HYB_BASE_COMPILER_H

#define hyb_likely(x)	__builtin_expect(!!(x), 1)
#define hyb_unlikely(x)	__builtin_expect(!!(x), 0)
/* A slow path, out of the way of the fast one. */
#define HYB_COLD	__attribute__((noinline, cold))
/* Without this the compiler keeps one copy for the hundreds of wrappers: 2 ns for each call. */
#define HYB_HOT		inline __attribute__((always_inline))
/* A symbol that libhybmon.so shows to its adapters or to the program; its version script names it, too. */
#define HYB_EXPORT	__attribute__((visibility("default")))

#endif
