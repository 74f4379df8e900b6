/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of others that have the name of one of MPI's: a library's own, which is not meant for anybody else. Without
 * us its calls find it, since nothing before it has that name; we stand before everything.
 */
#ifndef HYB_PMPI_ENTRY_NAMESAKE_H
#define HYB_PMPI_ENTRY_NAMESAKE_H

#include <stdbool.h>

/* Whether any object is an MPI's that has one of these names; they are as below. */
bool hyb_namesake_has_mpi(const char *names);

/*
 * What a call that returns to `site` means by one of these names (each ends with a 0, the last with two), where no
 * library that everybody sees has it: a namesake, or NULL if MPI's is meant or there is none.
 */
void *hyb_namesake_find(const char *names, const void *site);

#endif
