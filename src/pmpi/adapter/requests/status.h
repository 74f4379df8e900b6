/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many bytes a status tells of. PMPI_Get_elements_x knows, but takes as long as to record the whole completion.
 * So the number is read from where this MPI's mpi.h keeps it, if a trial when MPI has started shows that it stands
 * there. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_REQUESTS_STATUS_H
#define HYB_PMPI_ADAPTER_REQUESTS_STATUS_H

#include <mpi.h>

#include "core/record/record.h"

/* Nonzero: hyb_status_field tells the truth. Set while MPI starts. */
extern uint32_t hyb_status_has_field;

/* MPI has started. */
void hyb_status_start(void);

/* What stands where the bytes of a message are kept. */
static inline uint64_t hyb_status_field(const MPI_Status *status)
{
#if defined(OPEN_MPI)
	return status->_ucount;
#elif defined(MPICH_VERSION)
	/* The lowest of the upper half's bits is no part of it. */
	return (uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32 | (uint32_t)status->count_lo;
#else
	(void)status;
	return 0;
#endif
}

/* The same asked of MPI. */
uint64_t hyb_status_ask(const MPI_Status *status) HYB_COLD;

/* The bytes of what was received, or moved to or from a file. */
static inline uint64_t hyb_status_bytes(const MPI_Status *status)
{
	if (hyb_likely(__atomic_load_n(&hyb_status_has_field, __ATOMIC_RELAXED)))
		return hyb_status_field(status);
	return hyb_status_ask(status);
}

#endif
