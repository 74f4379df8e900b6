/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where Fortran's constants lie that stand for themselves and not for what they hold: MPI_IN_PLACE and the like. Part
 * of each adapter.
 */
#ifndef HYB_PMPI_ADAPTER_FORTRAN_SENTINEL_H
#define HYB_PMPI_ADAPTER_FORTRAN_SENTINEL_H

#include <stdbool.h>

enum hyb_sentinel {
	HYB_SENTINEL_IN_PLACE, HYB_SENTINEL_BOTTOM, HYB_SENTINEL_IN_PLACE_F08, HYB_SENTINEL_BOTTOM_F08,
	HYB_SENTINEL_STATUS_IGNORE, HYB_SENTINEL_STATUSES_IGNORE, HYB_SENTINELS
};

/* Whether an address that came from Fortran is that constant's. */
bool hyb_sentinel_is(enum hyb_sentinel which, const void *address);
/* A symbol of MPI's Fortran library or of another object, also of one that was loaded for its user alone; or NULL. */
void *hyb_sentinel_symbol(const char *name);

#endif
