/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether this MPI keeps a status's bytes where its header says; see status.h. */
#include "pmpi/adapter/requests/status.h"

#include <string.h>

uint32_t hyb_status_has_field;

uint64_t hyb_status_ask(const MPI_Status *status)
{
	MPI_Count bytes = 0;

	PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
	return bytes > 0 ? (uint64_t)bytes : 0;
}

static bool keeps(uint64_t bytes)
{
	MPI_Status status;

	/* Whatever else stands there is no part of the number. */
	memset(&status, 0xa5, sizeof(status));
	PMPI_Status_set_elements_x(&status, MPI_BYTE, (MPI_Count)bytes);
	return hyb_status_ask(&status) == bytes && hyb_status_field(&status) == bytes;
}

void hyb_status_start(void)
{
	static const uint64_t trials[] = { 0, 1, UINT64_C(0x87654321), UINT64_C(0x123456789ab) };
	uint32_t known = 1;

	for (size_t i = 0; known && i < sizeof(trials) / sizeof(trials[0]); i++)
		known = keeps(trials[i]);
	__atomic_store_n(&hyb_status_has_field, known, __ATOMIC_RELAXED);
}
