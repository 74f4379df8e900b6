! SPDX-License-Identifier: BSD-3-Clause
! One message, to be built with each way in which compilers turn names into symbols; see fortran-linked.test.
program spelled
	use expect
	implicit none
	include 'mpif.h'
	integer :: ierr, other, mine, got, request_handle, number

	call expect_open()
	call MPI_INIT(ierr)
	call both('MPI_Init')
	other = 1 - rank
	mine = rank
	call MPI_COMM_RANK(MPI_COMM_WORLD, got, ierr)
	call both('MPI_Comm_rank')
	call MPI_ISEND(mine, 1, MPI_INTEGER, other, 3, MPI_COMM_WORLD, request_handle, ierr)
	call isends('MPI_Isend', other, 3, 'MPI_COMM_WORLD', 4, number)
	call MPI_RECV(got, 1, MPI_INTEGER, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
	call receives('MPI_Recv', other, 3, 'MPI_COMM_WORLD', 4)
	call check(got == other, __LINE__)
	call MPI_WAIT(request_handle, MPI_STATUS_IGNORE, ierr)
	call both('MPI_Wait')
	call request('sent', number)
	call MPI_FINALIZE(ierr)
	call both('MPI_Finalize')
end program
