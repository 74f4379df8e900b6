/* SPDX-License-Identifier: BSD-3-Clause */
/* What is done when the library is loaded, into any process: next to nothing. */
#ifndef HYB_PROCESS_LOAD_H
#define HYB_PROCESS_LOAD_H

/* Also by what comes before our constructor: an MPI call in another library's. */
void hyb_init_start(void);
/*
 * The library has one constructor: of several the link line would decide the order. What it does for MPI, last; a
 * program that links the rest of this has none.
 */
void hyb_init_mpi(void) __attribute__((weak));

/* The working directory when the library was loaded; programs change it before MPI_Init. */
const char *hyb_init_directory(void);
extern const char hyb_version[];

#endif
