/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Pcontrol: its Enter and Leave, both before it runs; see pcontrol-entry.S. */
#include "core/record.h"
#include "pmpi/dispatch.h"
#include "pmpi/functions.h"

void *hyb_pcontrol(int level);

/* What a level means is the program's matter. Returns where the call goes on. */
void *hyb_pcontrol(int level)
{
	struct hyb_frame frame;
	uint64_t *p = hyb_is_off(1u << HYB_GROUP_ENV) ? NULL : hyb_enter(&frame, HYB_F_MPI_Pcontrol);

	(void)level;
	if (p) {
		hyb_publish(p);
		hyb_end(&frame, hyb_leave(&frame, HYB_F_MPI_Pcontrol));
	}
	return hyb_mpi_next[HYB_F_MPI_Pcontrol];
}
