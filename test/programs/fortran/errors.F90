! SPDX-License-Identifier: BSD-3-Clause
! Receives that end with an error, from Fortran: rank 1's are too short. Some MPIs then give back neither handles nor
! statuses, so that of others in the same call it is not known either how they ended. What comes next is recorded
! as ever.
#include "binding.h"

program errors
	USE_MPI
	use expect
	implicit none
	INCLUDE_MPI
	character(len=*), parameter :: world = 'MPI_COMM_WORLD'
	integer, parameter :: unset = -77
	integer, asynchronous :: got(4, 2)
	integer :: mine(4)
	integer :: ierr

	call expect_open()
	call mpi_init(ierr)
	call both('MPI_Init')
	call mpi_comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
	call both('MPI_Comm_set_errhandler')
	mine = rank
	call one(1)
	call one(2)
	call any()
	call all()
	call some()
	call mpi_finalize(ierr)
	call both('MPI_Finalize')
contains
	! Rank 1 has what rank 0 sent: the first message is longer than what is meant for it.
	subroutine arrive()
		if (rank == 0) then
			call mpi_send(mine, 4, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, ierr)
			call sends('MPI_Send', 1, 2, world, 16)
			call mpi_send(mine, 2, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, ierr)
			call sends('MPI_Send', 1, 3, world, 8)
		else
			call mpi_probe(0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
			call both('MPI_Probe')
		end if
	end subroutine

	subroutine irecv(at, tag, request, number)
		integer, intent(in) :: at, tag
		REQUEST_T, intent(out) :: request
		integer, intent(out) :: number

		call mpi_irecv(got(1, at), 2, MPI_INTEGER, 0, tag, MPI_COMM_WORLD, request, ierr)
		call irecvs('MPI_Irecv', number)
	end subroutine

	! One that is good, and may have the handle of one that was not
	subroutine good()
		REQUEST_T :: from
		integer :: r

		call irecv(1, 3, from, r)
		call mpi_wait(from, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Wait')
		call received(0, 3, world, 8, r)
	end subroutine

	subroutine one(way)
		integer, intent(in) :: way
		REQUEST_T :: from
		logical :: flag
		integer :: r

		call arrive()
		if (rank == 0) return
		call irecv(1, 2, from, r)
		if (way == 1) then
			call mpi_wait(from, MPI_STATUS_IGNORE, ierr)
			call failed('MPI_Wait', ierr)
		else
			call mpi_test(from, flag, MPI_STATUS_IGNORE, ierr)
			call failed('MPI_Test', ierr)
		end if
		CHECK(ierr /= MPI_SUCCESS)
		call good()
	end subroutine

	subroutine any()
		REQUEST_T :: list(2)
		STATUS_T(status)
		integer :: number(2), index

		call arrive()
		if (rank == 0) return
		call irecv(1, 2, list(1), number(1))
		call irecv(2, 99, list(2), number(2))
		call mpi_waitany(2, list, index, MPI_STATUS_IGNORE, ierr)
		call failed('MPI_Waitany', ierr)
		CHECK(ierr /= MPI_SUCCESS)
		call good()
		! the other one is under way
		call mpi_cancel(list(2), ierr)
		call both('MPI_Cancel')
		call mpi_wait(list(2), status, ierr)
		call both('MPI_Wait')
		call request('cancelled', number(2))
	end subroutine

	subroutine all()
		REQUEST_T :: list(2)
		STATUSES_T(statuses, 2)
		integer :: number(2)

		call arrive()
		if (rank == 0) return
		call irecv(1, 2, list(1), number(1))
		call irecv(2, 3, list(2), number(2))
		SOURCE_AT(statuses, 2) = unset
		call mpi_waitall(2, list, statuses, ierr)
		call enter('MPI_Waitall')
		if (SOURCE_AT(statuses, 2) /= unset) call received(0, 3, world, 8, number(2))
		call leave('MPI_Waitall')
		call line('  error code=' // digits(ierr))
		CHECK(ierr /= MPI_SUCCESS)
	end subroutine

	subroutine some()
		REQUEST_T :: list(2)
		STATUS_T(status)
		STATUSES_T(statuses, 2)
		integer :: number(2), indices(2), count

		call arrive()
		if (rank == 0) return
		call irecv(1, 2, list(1), number(1))
		call irecv(2, 99, list(2), number(2))
		call mpi_waitsome(2, list, count, indices, statuses, ierr)
		call failed('MPI_Waitsome', ierr)
		CHECK(ierr /= MPI_SUCCESS)
		call good()
		call mpi_cancel(list(2), ierr)
		call both('MPI_Cancel')
		call mpi_wait(list(2), status, ierr)
		call both('MPI_Wait')
		call request('cancelled', number(2))
	end subroutine
end program
