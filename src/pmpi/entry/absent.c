/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stand-ins for functions that nobody defines; see absent.h. Without hybmon such a program would have
 * stopped at the dynamic linker, or, with a weak reference, not have made the call.
 */
#include "pmpi/entry/absent.h"

#include "core/config/config.h"
#include "core/sys/log.h"
#include "pmpi/table/function-info.h"
#include "pmpi/table/functions.h"

#define FAILED 16	/* MPI_ERR_OTHER is 15 or 16; any value but MPI_SUCCESS serves */

static int answer_no(int *flag)
{
	*flag = 0;
	return 0;
}

static int fail(void)
{
	return FAILED;
}

void *hyb_mpi_absent(unsigned int function)
{
	if (function == HYB_F_MPI_Initialized || function == HYB_F_MPI_Finalized)
		return (void *)answer_no;
	hyb_config_load();
	hyb_log_once(HYB_LOG_ERROR, "%s is called, but no MPI that has it is loaded; the call fails",
		     hyb_functions[function].name);
	return (void *)fail;
}

static void answer_no_fortran(int *flag, int *ierror)
{
	*flag = 0;
	if (ierror)
		*ierror = 0;
}

void *hyb_mpi_absent_fortran(unsigned int function)
{
	if (function == HYB_F_MPI_Initialized || function == HYB_F_MPI_Finalized)
		return (void *)answer_no_fortran;
	return hyb_mpi_absent(function);
}
