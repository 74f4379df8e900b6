/* SPDX-License-Identifier: BSD-3-Clause */
/* The OpenMP runtimes of this machine. */
#ifndef HYB_TOOLS_RUN_RUNTIME_H
#define HYB_TOOLS_RUN_RUNTIME_H

#define HYB_LIBGOMP	"libgomp.so.1"

/* Paths of LLVM's runtimes on this machine, the best known first, each once; NULL at the end, or NULL. */
char **hyb_runtime_list(void);

/* Why tools cannot listen to the LLVM runtime at `path`, as words after its name; NULL: they can. */
const char *hyb_runtime_refuses(const char *path);

/* Every line of the dynamic linker's cache for a library: its path, NULL at the end, or NULL. */
char **hyb_runtime_cached(const char *name);

#endif
