! SPDX-License-Identifier: BSD-3-Clause
! Rank 1 stands in a call that does not come back, until it kills itself: see ../stand.c, which does the same in C.
#include "binding.h"

module standing
	use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
	implicit none
	interface
		subroutine c_say(rank, call, line, waits) bind(c)
			import c_char, c_int
			integer(c_int), value :: rank, line
			character(kind=c_char), intent(in) :: call(*), waits(*)
		end subroutine
	end interface
end module

program stand
	USE_MPI
	use standing
	implicit none
	INCLUDE_MPI
	character(len=32) :: form
	integer, asynchronous :: buf(4)
	integer :: ierr, rank

	call get_command_argument(1, form)
	call mpi_init(ierr)
	call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
	if (rank == 1) then
		select case (form)
		case ('recv')
			call stand_recv()
		case ('waitall')
			call stand_waitall()
		case ('bcast')
			call stand_bcast()
		case ('test')
			call stand_test()
		end select
	end if
	call mpi_recv(buf, 1, MPI_INTEGER, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
contains
	subroutine say(name, line, waits)
		character(len=*), intent(in) :: name, waits
		integer, intent(in) :: line

		call c_say(rank, name // c_null_char, line, waits // c_null_char)
	end subroutine

	subroutine stand_recv()
		call say('MPI_Recv', __LINE__ + 1, 'recv from=0 tag=any comm=MPI_COMM_WORLD')
		call mpi_recv(buf, 1, MPI_INTEGER, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
	end subroutine

	subroutine stand_waitall()
		REQUEST_T :: requests(2)

		requests(1) = MPI_REQUEST_NULL
		call mpi_irecv(buf, 1, MPI_INTEGER, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, requests(2), ierr)
		call say('MPI_Waitall', __LINE__ + 2, 'recv from=any tag=7 comm=MPI_COMM_WORLD request=0.1' // &
			new_line('a') // '1.0   waits others=1')
		call mpi_waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
	end subroutine

	subroutine stand_bcast()
		call say('MPI_Bcast', __LINE__ + 1, 'coll comm=MPI_COMM_WORLD root=0 sent=0 received=8')
		call mpi_bcast(buf, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
	end subroutine

	subroutine stand_test()
		REQUEST_T :: request
		logical :: flag

		call mpi_irecv(buf, 1, MPI_INTEGER, 0, 8, MPI_COMM_WORLD, request, ierr)
		flag = .false.
		call say('MPI_Test', __LINE__ + 2, 'recv from=0 tag=8 comm=MPI_COMM_WORLD request=0.1')
		! in one line, since compilers count the call to either
		do while (.not. flag); call mpi_test(request, flag, MPI_STATUS_IGNORE, ierr); end do
	end subroutine
end program
