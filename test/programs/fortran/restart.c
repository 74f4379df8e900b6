/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran's MPI_Pcontrol goes past the library; C's does not. */
#include <mpi.h>

void c_pcontrol(int level)
{
	MPI_Pcontrol(level);
}
