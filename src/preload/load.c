/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The constructor of libhybmon.so, the only one: of several the link line would decide the order. It costs every
 * process of the job three system calls.
 */
#include "ompt/gomp.h"
#include "pmpi/entry/dispatch.h"
#include "process/exits.h"
#include "process/process.h"

__attribute__((constructor)) static void load(void)
{
	hyb_process_load();
	hyb_gomp_start();
	hyb_exits_also(hyb_gomp_is_there, hyb_gomp_end);
	hyb_mpi_load();
}
