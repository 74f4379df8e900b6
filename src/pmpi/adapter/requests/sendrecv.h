/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether this MPI fills in the status of MPI_Isendrecv. Part of the adapter. */
#ifndef HYB_PMPI_ADAPTER_REQUESTS_SENDRECV_H
#define HYB_PMPI_ADAPTER_REQUESTS_SENDRECV_H

#include <stdbool.h>

/*
 * sends: of one with a send, whose destination is not MPI_PROC_NULL. Tried out when it is asked for the first time,
 * within a call of MPI.
 */
bool hyb_sendrecv_fills_status(bool sends);

#endif
