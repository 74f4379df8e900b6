! SPDX-License-Identifier: BSD-3-Clause
! One-sided communication from Fortran: windows, ranks, counts, groups and requests are seen as from C. See rma.c. Two
! ranks.
#include "binding.h"

! Where others may read and write
module memory
	implicit none
	integer, parameter :: n = 64
	integer, asynchronous :: mine(n), data(n), got(n)
end module

program rma
	USE_MPI
	use expect
	use job
	use memory
	use window_lines
	implicit none
	INCLUDE_MPI
	character(len=*), parameter :: world = 'MPI_COMM_WORLD'
	integer(kind=MPI_ADDRESS_KIND), parameter :: zero = 0
	WIN_T :: win
	integer :: ierr

	call begin_job()
	other = 1 - rank
	mine = 0
	data = 1
	call make('first')
	call fences('first')
	call groups('first')
	call mpi_win_free(win, ierr)
	CHECK(win == MPI_WIN_NULL)
	call does('MPI_Win_free', 'destroy', 'first')
	! the next one has the handle of the last
	call make('second')
	call locks('second')
	call requests('second')
	call mpi_win_free(win, ierr)
	call does('MPI_Win_free', 'destroy', 'second')
	call end_job()
contains
	! An operation
	subroutine operates(name, what, window, more)
		character(len=*), intent(in) :: name, what, window, more

		begun = begun + 1
		call to(name, what, window, more)
	end subroutine

	subroutine begins(name, what, window, more)
		character(len=*), intent(in) :: name, what, window, more

		begun = begun + 1
		call to(name, what, window, more // ' request=0.' // digits(begun))
	end subroutine

	subroutine make(window)
		character(len=*), intent(in) :: window
		integer(kind=MPI_ADDRESS_KIND) :: room = 4 * n

		call mpi_win_create(mine, room, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
		call does('MPI_Win_create', 'create', window)
		call mpi_win_set_name(win, window, ierr)
		call both('MPI_Win_set_name')
	end subroutine

	subroutine fences(window)
		character(len=*), intent(in) :: window
		integer(kind=MPI_ADDRESS_KIND) :: place = 4
		integer :: result

		call mpi_win_fence(MPI_MODE_NOPRECEDE, win, ierr)
		call does('MPI_Win_fence', 'fence', window // ' first')
		call mpi_put(data, 10, MPI_INTEGER, other, place, 10, MPI_INTEGER, win, ierr)
		call operates('MPI_Put', 'put', window, ' bytes=40')
		call mpi_put(data, 10, MPI_INTEGER, MPI_PROC_NULL, zero, 10, MPI_INTEGER, win, ierr)
		call both('MPI_Put')
		call mpi_win_fence(0, win, ierr)
		call does('MPI_Win_fence', 'fence', window)
		call mpi_get(got, 3, MPI_DOUBLE_PRECISION, other, place, 3, MPI_DOUBLE_PRECISION, win, ierr)
		call operates('MPI_Get', 'get', window, ' bytes=24')
		call mpi_accumulate(data, 2, MPI_INTEGER, other, zero, 2, MPI_INTEGER, MPI_SUM, win, ierr)
		call operates('MPI_Accumulate', 'accumulate', window, ' sent=8 received=0')
		call mpi_fetch_and_op(data, result, MPI_INTEGER, other, zero, MPI_SUM, win, ierr)
		call operates('MPI_Fetch_and_op', 'fetch-and-op', window, ' sum sent=4 received=4')
		call mpi_win_fence(MPI_MODE_NOSUCCEED, win, ierr)
		call does('MPI_Win_fence', 'fence', window)
		CHECK(mine(6) == 1)
	end subroutine

	subroutine groups(window)
		character(len=*), intent(in) :: window
		GROUP_T :: everyone, near
		character(len=:), allocatable :: named

		named = window // ' group=' // digits(other)
		call mpi_comm_group(MPI_COMM_WORLD, everyone, ierr)
		call both('MPI_Comm_group')
		call mpi_group_incl(everyone, 1, [ other ], near, ierr)
		call both('MPI_Group_incl')
		call mpi_win_post(near, 0, win, ierr)
		call does('MPI_Win_post', 'post', named)
		call mpi_win_start(near, 0, win, ierr)
		call does('MPI_Win_start', 'start', named)
		call mpi_put(data, 1, MPI_INTEGER, other, zero, 1, MPI_INTEGER, win, ierr)
		call operates('MPI_Put', 'put', window, ' bytes=4')
		call mpi_win_complete(win, ierr)
		call does('MPI_Win_complete', 'complete', named)
		call mpi_win_wait(win, ierr)
		call does('MPI_Win_wait', 'wait', named)
	end subroutine

	subroutine locks(window)
		character(len=*), intent(in) :: window

		call mpi_win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win, ierr)
		call to('MPI_Win_lock', 'lock', window, '')
		call mpi_put(data, 1, MPI_INTEGER, other, zero, 1, MPI_INTEGER, win, ierr)
		call operates('MPI_Put', 'put', window, ' bytes=4')
		call mpi_win_flush(other, win, ierr)
		call to('MPI_Win_flush', 'flush', window, '')
		call mpi_win_unlock(other, win, ierr)
		call to('MPI_Win_unlock', 'unlock', window, '')
	end subroutine

	subroutine requests(window)
		character(len=*), intent(in) :: window
		REQUEST_T :: request, three(3)
		integer :: i

		call mpi_win_lock_all(0, win, ierr)
		call does('MPI_Win_lock_all', 'lock', window // ' shared')
		call mpi_rput(data, 4, MPI_INTEGER, other, zero, 4, MPI_INTEGER, win, request, ierr)
		call begins('MPI_Rput', 'put', window, ' bytes=16')
		call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
		call does('MPI_Wait', 'done', window // ' request=0.' // digits(begun))
		CHECK(request == MPI_REQUEST_NULL)
		call mpi_rget(got, 4, MPI_INTEGER, other, zero, 4, MPI_INTEGER, win, three(1), ierr)
		call begins('MPI_Rget', 'get', window, ' bytes=16')
		call mpi_raccumulate(data, 2, MPI_INTEGER, other, zero, 2, MPI_INTEGER, MPI_SUM, win, three(2), ierr)
		call begins('MPI_Raccumulate', 'accumulate', window, ' sent=8 received=0')
		call mpi_rget_accumulate(data, 2, MPI_INTEGER, got(10), 2, MPI_INTEGER, other, zero, 2, MPI_INTEGER, &
			MPI_SUM, win, three(3), ierr)
		call begins('MPI_Rget_accumulate', 'get-accumulate', window, ' sent=8 received=8')
		call mpi_waitall(3, three, MPI_STATUSES_IGNORE, ierr)
		call enter('MPI_Waitall')
		do i = begun - 2, begun
			call line('  rma done win=' // window // ' request=0.' // digits(i))
		end do
		call leave('MPI_Waitall')
		call mpi_win_unlock_all(win, ierr)
		call does('MPI_Win_unlock_all', 'unlock', window)
	end subroutine
end program
