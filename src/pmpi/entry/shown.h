/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of our stubs dlsym finds. */
#ifndef HYB_PMPI_ENTRY_SHOWN_H
#define HYB_PMPI_ENTRY_SHOWN_H

/* When the library is loaded: those that tools before us hand calls on to, and those of an MPI that everybody sees. */
void hyb_shown_start(void);
/* An MPI was found: the same, if it was loaded for everybody since then. Once; any thread. */
void hyb_shown_late(void);

#endif
