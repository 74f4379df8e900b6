! SPDX-License-Identifier: BSD-3-Clause
! Calls from many places, of each of which the program writes down which function it is and where: ../site.c does the
! same in C.
#include "binding.h"

program site
	USE_MPI
	implicit none
	INCLUDE_MPI
	character(len=4096) :: folder
	integer :: file, ierr, i
	double precision :: time

	call get_environment_variable('TEST_EXPECT', folder)
	open(newunit=file, file=trim(folder) // '/0.0', action='write')
	! Not written down: gfortran 12 gives a call of which all arguments are optional its procedure's line.
	call mpi_init(ierr)
	do i = 1, 3
		call exchange(i)
		call wrote('MPI_Wtime', __LINE__ + 1)
		time = mpi_wtime()
	end do
	call mpi_finalize(ierr)
	close(file)
contains
	subroutine wrote(name, line)
		character(len=*), intent(in) :: name
		integer, intent(in) :: line

		write(file, '("0.0 ", a, " site.F90:", i0)') name, line
	end subroutine

	subroutine exchange(tag)
		integer, intent(in) :: tag
		integer, asynchronous :: in(2), out(2)
		integer :: rank
		REQUEST_T :: requests(2)

		call wrote('MPI_Comm_rank', __LINE__ + 1)
		call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
		out = rank
		call wrote('MPI_Irecv', __LINE__ + 1)
		call mpi_irecv(in, 2, MPI_INTEGER, 0, tag, MPI_COMM_SELF, requests(1), ierr)
		call wrote('MPI_Isend', __LINE__ + 1)
		call mpi_isend(out, 2, MPI_INTEGER, 0, tag, MPI_COMM_SELF, requests(2), ierr)
		call wrote('MPI_Waitall', __LINE__ + 1)
		call mpi_waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
		call wrote('MPI_Bcast', __LINE__ + 1)
		call mpi_bcast(out, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
		call wrote('MPI_Pcontrol', __LINE__ + 1)
		call mpi_pcontrol(2)
	end subroutine
end program
