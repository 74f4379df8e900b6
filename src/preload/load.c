/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The constructor of libhybmon.so, the only one: of several the link line would decide the order. It costs every
 * process of the job three system calls.
 */
#include "ompt/gomp/runtime.h"
#include "ompt/libgomp.h"
#include "pmpi/entry/dispatch.h"
#include "core/process/exits.h"
#include "core/process/process.h"

/* What other threads have open of OpenMP is over with the process; and what was not seen of it is said. */
static void end(bool normal)
{
	hyb_gomp_threads_end();
	if (normal)
		hyb_gomp_end();
}

__attribute__((constructor)) static void load(void)
{
	hyb_process_load();
	hyb_gomp_start();
	hyb_exits_also(hyb_gomp_is_there, end);
	hyb_mpi_load();
}
