/* SPDX-License-Identifier: BSD-3-Clause */
/* What is done when the library is loaded, into any process: next to nothing. */
#ifndef HYB_CORE_INIT_H
#define HYB_CORE_INIT_H

/* The working directory when the library was loaded; programs change it before MPI_Init. */
const char *hyb_init_directory(void);
extern const char hyb_version[];

#endif
