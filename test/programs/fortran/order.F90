! SPDX-License-Identifier: BSD-3-Clause
! What test/programs/order.c does, from Fortran: receives that name any source or tag, in each way to complete them, tests of
! a window and of sends; rank 0 prints what it saw, in order, as one number, and a sum of floats. Usage: order [ROUNDS]
#include "binding.h"

program order
	USE_MPI
	implicit none
	INCLUDE_MPI
	integer, parameter :: posted = 4
	integer :: ierr, rank, ranks, rounds, i
	integer(8) :: seen = 1469598103_8
	real :: total = 0
	real, asynchronous :: v(posted)
	character(len=16) :: argument

	rounds = 10
	if (command_argument_count() > 0) then
		call get_command_argument(1, argument)
		read (argument, *) rounds
	end if
	call mpi_init(ierr)
	call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
	call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
	do i = 1, 6
		if (rank > 0) then
			call send_all(i)
		else if (i == 1) then
			call blocking(i)
		else if (i == 2) then
			call any_of_several(i, .false.)
		else if (i == 3) then
			call any_of_several(i, .true.)
		else if (i == 4) then
			call some_of_several(i)
		else if (i == 5) then
			call probes(i)
		else
			call persistent(i)
		end if
		call mpi_barrier(MPI_COMM_WORLD, ierr)	! since some receive any tag
	end do
	call exchange()
	call windows()
	call eager()
	if (rank == 0) then
		print '(z16.16, " ", z8.8)', seen, transfer(total, 1)
	end if
	call mpi_finalize(ierr)
contains
	subroutine see(what)
		integer, intent(in) :: what

		seen = mod(seen * 31_8 + what + 1000, 1152921504606846883_8)
	end subroutine

	subroutine add(x, status)
		real, intent(in) :: x
		STATUS_T(status)

		total = total * 0.9999 + x
		call see(SOURCE_OF(status))
		call see(TAG_OF(status))
	end subroutine

	! After a time that nobody knows before.
	subroutine send_all(tag)
		integer, intent(in) :: tag
		integer :: n
		real :: x, chance
		double precision :: until

		do n = 1, rounds
			call random_number(chance)
			until = mpi_wtime() + chance * 0.0003
			do while (mpi_wtime() < until)
			end do
			x = 1.0 / (1 + rank * 7 + n * 3)
			call mpi_send(x, 1, MPI_REAL, 0, tag, MPI_COMM_WORLD, ierr)
		end do
	end subroutine

	subroutine blocking(tag)
		integer, intent(in) :: tag
		STATUS_T(status)
		integer :: n

		do n = 1, rounds * (ranks - 1)
			call mpi_recv(v(1), 1, MPI_REAL, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, status, ierr)
			call add(v(1), status)
		end do
	end subroutine

	subroutine any_of_several(tag, tests)
		integer, intent(in) :: tag
		logical, intent(in) :: tests
		REQUEST_T :: requests(posted)
		STATUS_T(status)
		integer :: begun, done, n, at
		logical :: flag, free(posted)

		begun = 0
		done = 0
		free = .true.
		requests = MPI_REQUEST_NULL
		do while (done < rounds * (ranks - 1))
			do n = 1, posted
				if (.not. free(n) .or. begun == rounds * (ranks - 1)) cycle
				call mpi_irecv(v(n), 1, MPI_REAL, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, requests(n), ierr)
				free(n) = .false.
				begun = begun + 1
			end do
			if (tests) then
				call mpi_testany(posted, requests, at, flag, status, ierr)
				if (.not. flag) then
					call see(-1)
					cycle
				end if
			else
				call mpi_waitany(posted, requests, at, status, ierr)
			end if
			do n = 1, posted	! which it is some MPIs say from 0 on
				if (.not. free(n) .and. requests(n) == MPI_REQUEST_NULL) exit
			end do
			free(n) = .true.
			call see(n)
			call add(v(n), status)
			done = done + 1
		end do
	end subroutine

	subroutine some_of_several(tag)
		integer, intent(in) :: tag
		REQUEST_T :: requests(posted)
		STATUSES_T(statuses, posted)
		integer :: done, n, count, indices(posted), left

		left = rounds * (ranks - 1)
		do while (left > 0)
			requests = MPI_REQUEST_NULL
			do n = 1, min(posted, left)
				call mpi_irecv(v(n), 1, MPI_REAL, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(n), ierr)
			end do
			done = 0
			do while (done < min(posted, left))
				call mpi_waitsome(posted, requests, count, indices, statuses, ierr)
				call see(count)
				do n = 1, count
					call see(SOURCE_AT(statuses, n))
					call see(TAG_AT(statuses, n) - tag)
				end do
				done = done + count
			end do
			do n = 1, done
				total = total * 0.9999 + v(n)
			end do
			left = left - done
		end do
	end subroutine

	subroutine probes(tag)
		integer, intent(in) :: tag
		STATUS_T(status)
		integer :: n
		logical :: flag

		do n = 1, rounds * (ranks - 1)
			flag = .false.
			do while (.not. flag)
				call mpi_iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, flag, status, ierr)
				if (.not. flag) call see(-1)
			end do
			call mpi_recv(v(1), 1, MPI_REAL, SOURCE_OF(status), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
			call add(v(1), status)
		end do
	end subroutine

	subroutine persistent(tag)
		integer, intent(in) :: tag
		REQUEST_T :: request
		STATUS_T(status)
		integer :: n
		logical :: flag

		call mpi_recv_init(v(2), 1, MPI_REAL, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, request, ierr)
		do n = 1, rounds * (ranks - 1)
			call mpi_start(request, ierr)
			flag = .false.
			do while (.not. flag)
				call mpi_test(request, flag, status, ierr)
				if (.not. flag) call see(-1)
			end do
			call add(v(2), status)
		end do
		call mpi_request_free(request, ierr)
	end subroutine

	subroutine exchange()
		STATUS_T(status)
		integer :: n
		real :: out

		do n = 1, rounds
			out = 1.0 / (n + rank)
			call mpi_sendrecv(out, 1, MPI_REAL, mod(rank + 1, ranks), 100 + n, v(1), 1, MPI_REAL, MPI_ANY_SOURCE, &
				100 + n, MPI_COMM_WORLD, status, ierr)
			call add(v(1), status)
		end do
	end subroutine

	! Rank 0 asks until all others have had its window.
	subroutine windows()
		WIN_T :: win
		GROUP_T :: everybody, part
		integer :: n
		logical :: flag

		call mpi_win_create(v, int(16, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
		call mpi_comm_group(MPI_COMM_WORLD, everybody, ierr)
		if (rank == 0) call mpi_group_excl(everybody, 1, [0], part, ierr)
		if (rank > 0) call mpi_group_incl(everybody, 1, [0], part, ierr)
		do n = 1, rounds
			if (rank > 0) then
				call mpi_win_start(part, 0, win, ierr)
				call mpi_win_complete(win, ierr)
				cycle
			end if
			call mpi_win_post(part, 0, win, ierr)
			flag = .false.
			do while (.not. flag)
				call mpi_win_test(win, flag, ierr)
				if (.not. flag) call see(-1)
			end do
		end do
		call mpi_group_free(part, ierr)
		call mpi_group_free(everybody, ierr)
		call mpi_win_free(win, ierr)
	end subroutine

	! What is sent is received after another message that comes after it; MPI may have taken it at once.
	subroutine eager()
		real, asynchronous :: much(1250)
		REQUEST_T :: request
		STATUS_T(status)
		integer :: n, k
		logical :: flag

		do n = 1, rounds
			if (rank == 0) then
				do k = 1, ranks - 1
					call mpi_recv(v, 0, MPI_REAL, k, 100, MPI_COMM_WORLD, status, ierr)
					call mpi_recv(much, 1250, MPI_REAL, k, 101, MPI_COMM_WORLD, status, ierr)
					call add(much(1250), status)
				end do
				cycle
			end if
			much = rank + n
			call mpi_isend(much, 1250, MPI_REAL, 0, 101, MPI_COMM_WORLD, request, ierr)
			flag = .false.
			do k = 1, 10
				if (.not. flag) call mpi_test(request, flag, status, ierr)
			end do
			if (flag) much = -1
			call mpi_send(v, 0, MPI_REAL, 0, 100, MPI_COMM_WORLD, ierr)
			if (.not. flag) call mpi_wait(request, status, ierr)
		end do
	end subroutine
end program
