/* SPDX-License-Identifier: BSD-3-Clause */
/* Tools that stand before us and call on by dlsym(RTLD_NEXT). */
#ifndef HYB_PMPI_ENTRY_TOOLS_BEFORE_H
#define HYB_PMPI_ENTRY_TOOLS_BEFORE_H

/* When the library is loaded: shows them the stubs. */
void hyb_tools_before_start(void);

#endif
