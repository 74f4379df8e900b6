/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OpenMP runtimes: which LLVM runtimes the machine has, and whether one of them can serve a program that was built for
 * GCC's libgomp. LLVM's exports libgomp's entry points under libgomp's version names, so that the dynamic linker takes
 * those of whichever is loaded first; but not all of them, and two runtimes in one program is what nobody wants.
 */
#ifndef HYB_TOOLS_RUN_RUNTIME_H
#define HYB_TOOLS_RUN_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/run/program.h"

#define HYB_LIBGOMP	"libgomp.so.1"

/* Paths of LLVM's runtimes on this machine, the best known first, each once; NULL at the end, or NULL. */
char **hyb_runtime_list(void);

/*
 * What the program and the libraries it is loaded with need of libgomp and `path` does not have, as
 * name@version with ", " between, the first few; "" if it can serve. NULL: path is no OpenMP runtime that tools can
 * listen to, and *why says so. To be freed.
 */
char *hyb_runtime_lacks(const char *path, const struct hyb_program *program, const char **why);

/* How many of libgomp's own names the runtime does not have, or has in name only. */
size_t hyb_runtime_missing(const char *path, const char *libgomp);

/* Every line of the dynamic linker's cache for a library: its path, NULL at the end, or NULL. */
char **hyb_runtime_cached(const char *name);

#endif
