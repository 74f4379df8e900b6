/* SPDX-License-Identifier: BSD-3-Clause */
/* What the compiler is told about functions and branches. */
#ifndef HYB_CORE_SYS_COMPILER_H
#define HYB_CORE_SYS_COMPILER_H

#define hyb_likely(x)	__builtin_expect(!!(x), 1)
#define hyb_unlikely(x)	__builtin_expect(!!(x), 0)
/* A slow path, out of the way of the fast one. */
#define HYB_COLD	__attribute__((noinline, cold))
/* Without this the compiler keeps one copy for the hundreds of wrappers: 2 ns for each call. */
#define HYB_HOT		inline __attribute__((always_inline))
/*
 * The same for the parts of a wrapper. Wrappers of functions that programs call rarely share one copy per file: they
 * are three quarters of all, and inline they took most of the build's time. Their files define HYB_RARE; a build that
 * is not optimized, or instrumented, has no others. A shared part is passed the place that called the wrapper and the end
 * of the wrapper's frame; an inlined part asks the compiler for them.
 */
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef HYB_RARE
#define HYB_RARE
#endif
#ifdef HYB_RARE
#define HYB_HOT_PART		__attribute__((noinline, unused))
#define HYB_PART_SITE(passed)	(passed)
#define HYB_PART_INNER(passed)	(passed)
#else
#define HYB_HOT_PART		HYB_HOT
#define HYB_PART_SITE(passed)	((void)(passed), __builtin_return_address(0))
#define HYB_PART_INNER(passed)	((void)(passed), (uintptr_t)__builtin_dwarf_cfa())
#endif
/*
 * Other threads' accesses are ordered in a way that ThreadSanitizer does not see, as by MPI itself. Who uses it says by
 * what. The second one is HYB_HOT, too.
 */
#ifdef __SANITIZE_THREAD__
#define HYB_ORDERED	__attribute__((no_sanitize("thread")))
#define HYB_HOT_ORDERED	__attribute__((noinline, unused)) HYB_ORDERED
#else
#define HYB_ORDERED
#define HYB_HOT_ORDERED	HYB_HOT
#endif
/* A symbol that libhybmon.so shows to its adapters or to the program; its version script names it, too. */
#define HYB_EXPORT	__attribute__((visibility("default")))

#endif
