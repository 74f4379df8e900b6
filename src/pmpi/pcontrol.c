/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Pcontrol: its Enter and Leave, both before it runs; see pcontrol-entry.S. Level 0 switches recording off
 * and 1 on. Others are for tools that know more of them, and change nothing here. The call itself is recorded
 * where recording is on before it or after it.
 */
#include "core/process.h"
#include "pmpi/dispatch.h"
#include "pmpi/functions.h"

void *hyb_pcontrol(int level);

/* Returns where the call goes on. */
void *hyb_pcontrol(int level)
{
	struct hyb_frame frame;
	uint64_t *p;

	if (level == 1)
		hyb_process_pcontrol(true);
	p = hyb_is_off(1u << HYB_GROUP_ENV) ? NULL : hyb_enter(&frame, HYB_F_MPI_Pcontrol);
	if (p) {
		hyb_publish(p);
		hyb_end(&frame, hyb_leave(&frame, HYB_F_MPI_Pcontrol));
	}
	if (level == 0)
		hyb_process_pcontrol(false);
	return HYB_NEXT(HYB_F_MPI_Pcontrol);
}
