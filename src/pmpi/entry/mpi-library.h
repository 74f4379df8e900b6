/* SPDX-License-Identifier: BSD-3-Clause */
/* Which MPI this process has. */
#ifndef HYB_PMPI_ENTRY_MPI_LIBRARY_H
#define HYB_PMPI_ENTRY_MPI_LIBRARY_H

#include <stdbool.h>

struct hyb_mpi_library {
	void *handle;		/* as of dlopen, kept; NULL: it may be unloaded, or is the program's own file */
	const char *abi;	/* as in the name of its adapter; NULL: hybmon does not know it */
	char path[];
};

/*
 * Looks for the MPI, until one is found: true if there is one. The first that is found is the process's as long as it
 * is loaded; of threads that look at once one finds it for all.
 */
bool hyb_mpi_library_find(void);
/* The one that was found; NULL: none was, or there was no memory. */
const struct hyb_mpi_library *hyb_mpi_library(void);
/* What it has by that name, or NULL. */
void *hyb_mpi_library_symbol(const char *name);
/* Whether the loaded object with that path is an MPI. */
bool hyb_mpi_library_is_mpi(const char *path);
/* Whether a function is the process's MPI's own, which is held as long as it is recorded. */
bool hyb_mpi_library_holds(const void *function);
/* Whether a function is of an MPI other than the process's. A tool that stands after hybmon is none. */
bool hyb_mpi_library_is_other(const void *function);
/*
 * A program that loads MPI for a part of its own alone may unload it after MPI_Finalize, and load it anew: another MPI
 * then, which begins once more. So what dlopen brought is held only while it is in use. The first lets go of it: false
 * if there is nothing to let go of; the second takes it again, if it is still there. Neither while another thread begins or ends
 * MPI, which MPI itself does not allow.
 */
bool hyb_mpi_library_let_go(void);
bool hyb_mpi_library_take(void);
/* What lies in an object that is about to be unloaded. */
void hyb_mpi_library_goes(const void *object);
/* Whether the MPI that was recorded was unloaded. Another one is not recorded. */
bool hyb_mpi_library_is_over(void);

#endif
