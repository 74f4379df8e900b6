! SPDX-License-Identifier: BSD-3-Clause
! What rma.F90 leaves out: windows of each kind, the rest of what completes operations, atomic ones, and what is asked of
! windows. Two ranks.
#include "binding.h"

! Where others may read and write
module memory
	implicit none
	integer, parameter :: n = 16
	integer, asynchronous :: mine(n), data(n), got(n)
end module

program windows
	use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_f_pointer
	USE_MPI
	use expect
	use job
	use memory
	use window_lines
	implicit none
	INCLUDE_MPI
	character(len=*), parameter :: world = 'MPI_COMM_WORLD'
	integer(kind=MPI_ADDRESS_KIND), parameter :: zero = 0, bytes = 4 * n
	WIN_T :: win
	integer :: ierr

	call begin_job()
	other = 1 - rank
	mine = 0
	data = [5 + rank, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]
	call allocated()
	call shared()
	call dynamic()
	call tested()
	call end_job()
contains
	subroutine named(name)
		character(len=*), intent(in) :: name
		character(len=MPI_MAX_OBJECT_NAME) :: text
		integer :: length

		call mpi_win_set_name(win, name // '   ', ierr)
		call both('MPI_Win_set_name')
		call mpi_win_get_name(win, text, length, ierr)
		call both('MPI_Win_get_name')
		CHECK(length == len(name))	! all that mpi_f08 of Open MPI 4.1 gets right
	end subroutine

	! Where a window's memory is: modules have addresses of C's kind, mpif.h numbers, for which `use mpi` of some MPIs
	! has other symbols.
	subroutine allocated()
		integer(kind=MPI_ADDRESS_KIND) :: address
		integer, pointer :: values(:)
		type(c_ptr) :: place
		GROUP_T :: group

#if defined(BINDING_f08) || defined(BINDING_mpi)
		call mpi_win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, place, win, ierr)
#else
		call mpi_win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, address, win, ierr)
		place = transfer(address, c_null_ptr)
#endif
		call does('MPI_Win_allocate', 'create', 'allocated allocated')
		call c_f_pointer(place, values, [n])
		call named('allocated')
		call mpi_win_get_group(win, group, ierr)
		call both('MPI_Win_get_group')
		call mpi_group_free(group, ierr)
		call both('MPI_Group_free')
		values = rank
		call meet()
		call mpi_win_lock_all(0, win, ierr)
		call does('MPI_Win_lock_all', 'lock', 'allocated shared')
		call mpi_put(data, 2, MPI_INTEGER, other, 2 * zero, 2, MPI_INTEGER, win, ierr)
		call to('MPI_Put', 'put', 'allocated', ' bytes=8')
		call flushes()
		call atomics()
		call mpi_win_unlock_all(win, ierr)
		call does('MPI_Win_unlock_all', 'unlock', 'allocated')
		call meet()
		CHECK(values(1) == 5 + other)
		call mpi_win_free(win, ierr)
		call does('MPI_Win_free', 'destroy', 'allocated allocated')
	end subroutine

	subroutine flushes()
		integer :: i

		call mpi_win_flush_local(other, win, ierr)
		call to('MPI_Win_flush_local', 'flush-local', 'allocated', '')
		call mpi_win_flush_local_all(win, ierr)
		call does('MPI_Win_flush_local_all', 'flush-local', 'allocated')
		call mpi_win_flush_all(win, ierr)
		call does('MPI_Win_flush_all', 'flush', 'allocated')
		call mpi_win_sync(win, ierr)
		call does('MPI_Win_sync', 'sync', 'allocated')
		! nothing to be done
		do i = 1, 1000
			call mpi_win_sync(win, ierr)
			call mpi_win_flush_local(other, win, ierr)
			call mpi_win_flush_local_all(win, ierr)
			call mpi_win_flush(other, win, ierr)
			call mpi_win_flush_all(win, ierr)
		end do
		call folded('MPI_Win_sync', 1000, 'idle')
		call folded('MPI_Win_flush_local', 1000, 'idle')
		call folded('MPI_Win_flush_local_all', 1000, 'idle')
		call folded('MPI_Win_flush', 1000, 'idle')
		call folded('MPI_Win_flush_all', 1000, 'idle')
	end subroutine

	subroutine atomics()
		integer(kind=MPI_ADDRESS_KIND), parameter :: third = 2
		integer, asynchronous :: new(1), old(1), result(1)

		old = other
		new = 77
		call mpi_compare_and_swap(new, old, result, MPI_INTEGER, other, third, win, ierr)
		call to('MPI_Compare_and_swap', 'compare-and-swap', 'allocated', ' sent=8 received=4')
		call mpi_win_flush(other, win, ierr)
		call to('MPI_Win_flush', 'flush', 'allocated', '')
		CHECK(result(1) == other)
		call mpi_get_accumulate(new, 1, MPI_INTEGER, result, 1, MPI_INTEGER, other, third, 1, MPI_INTEGER, MPI_SUM, &
			win, ierr)
		call to('MPI_Get_accumulate', 'get-accumulate', 'allocated', ' sent=4 received=4')
		call mpi_win_flush(other, win, ierr)
		call to('MPI_Win_flush', 'flush', 'allocated', '')
		CHECK(result(1) == 77)
	end subroutine

	subroutine shared()
		integer(kind=MPI_ADDRESS_KIND) :: address, room
		integer, pointer :: values(:)
		type(c_ptr) :: place
		integer :: unit

#if defined(BINDING_f08) || defined(BINDING_mpi)
		call mpi_win_allocate_shared(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, place, win, ierr)
#else
		call mpi_win_allocate_shared(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, address, win, ierr)
		place = transfer(address, c_null_ptr)
#endif
		call does('MPI_Win_allocate_shared', 'create', 'shared allocated')
		call c_f_pointer(place, values, [n])
		call named('shared')
		values = 40 + rank
		call mpi_win_fence(0, win, ierr)
		call does('MPI_Win_fence', 'fence', 'shared')
#if defined(BINDING_f08) || defined(BINDING_mpi)
		call mpi_win_shared_query(win, other, room, unit, place, ierr)
#else
		call mpi_win_shared_query(win, other, room, unit, address, ierr)
		place = transfer(address, c_null_ptr)
#endif
		call both('MPI_Win_shared_query')
		CHECK(room == bytes .and. unit == 4)
		call c_f_pointer(place, values, [n])
		CHECK(values(n) == 40 + other)
		call mpi_win_fence(MPI_MODE_NOSUCCEED, win, ierr)
		call does('MPI_Win_fence', 'fence', 'shared')
		call mpi_win_free(win, ierr)
		call does('MPI_Win_free', 'destroy', 'shared allocated')
	end subroutine

	subroutine dynamic()
		integer(kind=MPI_ADDRESS_KIND) :: here, there(1)

		call mpi_win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
		call does('MPI_Win_create_dynamic', 'create', 'dynamic')
		call named('dynamic')
		mine = 30 + rank
		call mpi_win_attach(win, mine, bytes, ierr)
		call both('MPI_Win_attach')
		call mpi_get_address(mine, here, ierr)
		call both('MPI_Get_address')
		call mpi_sendrecv(here, 1, MPI_AINT, other, 1, there, 1, MPI_AINT, other, 1, MPI_COMM_WORLD, &
			MPI_STATUS_IGNORE, ierr)
		call enter('MPI_Sendrecv')
		call message('send to', other, 1, world, 8)
		call leave('MPI_Sendrecv')
		call message('recv from', other, 1, world, 8)
		call mpi_win_lock(MPI_LOCK_SHARED, other, 0, win, ierr)
		call to('MPI_Win_lock', 'lock', 'dynamic', ' shared')
		call mpi_get(got, 3, MPI_INTEGER, other, there(1), 3, MPI_INTEGER, win, ierr)
		call to('MPI_Get', 'get', 'dynamic', ' bytes=12')
		call mpi_win_unlock(other, win, ierr)
		call to('MPI_Win_unlock', 'unlock', 'dynamic', '')
		CHECK(all(got(:3) == 30 + other))
		call meet()
		call mpi_win_detach(win, mine, ierr)
		call both('MPI_Win_detach')
		call mpi_win_free(win, ierr)
		call does('MPI_Win_free', 'destroy', 'dynamic')
	end subroutine

	! What is asked before the other one has done its part has found nothing: these calls are one row.
	subroutine tested()
		integer :: others(1), i
		GROUP_T :: all, near
		logical :: flag
		character(len=:), allocatable :: group

		call mpi_win_create(mine, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
		call does('MPI_Win_create', 'create', 'tested')
		call named('tested')
		call mpi_comm_group(MPI_COMM_WORLD, all, ierr)
		call both('MPI_Comm_group')
		others = other
		call mpi_group_incl(all, 1, others, near, ierr)
		call both('MPI_Group_incl')
		group = 'tested group=' // digits(other)
		if (rank == 0) then
			call mpi_win_post(near, 0, win, ierr)
			call does('MPI_Win_post', 'post', group)
			do i = 1, 4
				call mpi_win_test(win, flag, ierr)
				CHECK(.not. flag)
			end do
			call polls('MPI_Win_test', 4)
			call meet()
			call meet()
			do i = 1, huge(i)
				call mpi_win_test(win, flag, ierr)
				if (flag) exit
			end do
			! how often it was asked in vain by then is chance
			if (i > 1) call polls('MPI_Win_test', i - 1)
			call does('MPI_Win_test', 'wait', group)
			CHECK(all_there())
		else
			call meet()
			call mpi_win_start(near, 0, win, ierr)
			call does('MPI_Win_start', 'start', group)
			call mpi_put(data, 2, MPI_INTEGER, other, zero, 2, MPI_INTEGER, win, ierr)
			call to('MPI_Put', 'put', 'tested', ' bytes=8')
			call mpi_win_complete(win, ierr)
			call does('MPI_Win_complete', 'complete', group)
			call meet()
		end if
		call mpi_group_free(near, ierr)
		call both('MPI_Group_free')
		call mpi_group_free(all, ierr)
		call both('MPI_Group_free')
		call mpi_win_free(win, ierr)
		call does('MPI_Win_free', 'destroy', 'tested')
	end subroutine

	logical function all_there()
		all_there = mine(1) == 5 + other .and. mine(2) == 6
	end function
end program
