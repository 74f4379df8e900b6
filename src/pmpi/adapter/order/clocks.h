/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the program reads from other clocks than MPI_Wtime between MPI_Init and MPI_Finalize: programs seed their random
 * numbers by them. Only where times belong to the order, and only of the main thread: calls in the program's own file,
 * not in libraries, and so not MPI's, are led here by its table of addresses. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_CLOCKS_H
#define HYB_PMPI_ADAPTER_ORDER_CLOCKS_H

/* MPI has started; and it ends. */
void hyb_clocks_start(void);
void hyb_clocks_stop(void);

#endif
