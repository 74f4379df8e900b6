/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HYBMON_SYNC: how clocks of nodes lie to each other, by messages of our own, for programs whose messages do not tell.
 * One process of each node takes part, in a binomial tree. Of each pair the upper one measures round trips and writes
 * the quickest ones down (HYB_DEF_SYNC): what a message took each way bounds the difference of two clocks as any other
 * message does. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_SYNC_H
#define HYB_PMPI_ADAPTER_SYNC_H

/* In MPI_Init of all processes, once it came back. */
void hyb_sync_start(void);
/* In MPI_Finalize of all, before it. */
void hyb_sync_end(void);

#endif
