! SPDX-License-Identifier: BSD-3-Clause
! Two ranks use every way to begin and to complete a message without blocking, from Fortran; what each call leaves
! is written down, and what the program sees of it printed. Completed in an order that is known: everything has
! arrived before it is asked for. See requests.c, which does the same in C.
#include "binding.h"

! Where others may write to
module buffers
	implicit none
	integer, parameter :: most = 3000
	integer, asynchronous :: mine(most), got(most)
end module

program requests
	USE_MPI
	use expect
	use buffers
	use job
	implicit none
	INCLUDE_MPI
	character(len=*), parameter :: world = 'MPI_COMM_WORLD'
	integer :: ierr, other
	! How MPI counts an array's first element: 1, but mpi_f08 of MPICH 4.0 has 0.
	integer :: first = 1

	call begin_job()
	other = 1 - rank
	mine = rank
	call wait_each()
	call wait_all(100)
	call wait_all(most)
	call wait_any_and_some()
	call test_each()
	call test_many()
	call test_none()
	call persistent()
	call persistent_many(100)
	call cancelled()
	call freed()
	call probed()
	call end_job()
contains
	subroutine send(tag)
		integer, intent(in) :: tag

		call mpi_send(mine, 1, MPI_INTEGER, other, tag, MPI_COMM_WORLD, ierr)
		call sends('MPI_Send', other, tag, world, 4)
	end subroutine

	! What the other rank has sent before it sent this has arrived.
	subroutine after(tag)
		integer, intent(in) :: tag
		integer :: one

		call send(tag)
		call mpi_recv(one, 1, MPI_INTEGER, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
		call receives('MPI_Recv', other, tag, world, 4)
	end subroutine

	subroutine irecv(at, tag, request, number)
		integer, intent(in) :: at, tag
		REQUEST_T, intent(out) :: request
		integer, intent(out) :: number

		call mpi_irecv(got(at), 1, MPI_INTEGER, other, tag, MPI_COMM_WORLD, request, ierr)
		call irecvs('MPI_Irecv', number)
	end subroutine

	subroutine isend(at, tag, request, number)
		integer, intent(in) :: at, tag
		REQUEST_T, intent(out) :: request
		integer, intent(out) :: number

		call mpi_isend(mine(at), 1, MPI_INTEGER, other, tag, MPI_COMM_WORLD, request, ierr)
		call isends('MPI_Isend', other, tag, world, 4, number)
	end subroutine

	! What the program sees of a request and its status
	subroutine show(what, request, status)
		character(len=*), intent(in) :: what
		REQUEST_T, intent(in) :: request
		STATUS_T(status)
		integer :: count

		call mpi_get_count(status, MPI_INTEGER, count, ierr)
		call both('MPI_Get_count')
		print *, what, request == MPI_REQUEST_NULL, SOURCE_OF(status), TAG_OF(status), count
	end subroutine

	subroutine wait_each()
		REQUEST_T :: to, from
		STATUS_T(status)
		integer :: s, r

		call mpi_irecv(got, 10, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, from, ierr)
		call irecvs('MPI_Irecv', r)
		call mpi_isend(mine, 4, MPI_INTEGER, other, 7, MPI_COMM_WORLD, to, ierr)
		call isends('MPI_Isend', other, 7, world, 16, s)
		call mpi_wait(from, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Wait')
		call received(other, 7, world, 16, r)
		call mpi_wait(to, status, ierr)
		call both('MPI_Wait')
		call request('sent', s)
		CHECK(to == MPI_REQUEST_NULL .and. from == MPI_REQUEST_NULL .and. got(1) == other)
		call mpi_wait(to, status, ierr)
		call both('MPI_Wait')
		call show('null', to, status)

		call mpi_irecv(got, 10, MPI_INTEGER, other, 8, MPI_COMM_WORLD, from, ierr)
		call irecvs('MPI_Irecv', r)
		call mpi_issend(mine, 2, MPI_INTEGER, other, 8, MPI_COMM_WORLD, to, ierr)
		call isends('MPI_Issend', other, 8, world, 8, s)
		call mpi_wait(from, status, ierr)
		call both('MPI_Wait')
		call received(other, 8, world, 8, r)
		call show('wait', from, status)
		call mpi_wait(to, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Wait')
		call request('sent', s)

		! nobody: no message
		call mpi_isend(mine, 1, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, to, ierr)
		call both('MPI_Isend')
		call mpi_irecv(got, 1, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, from, ierr)
		call both('MPI_Irecv')
		call mpi_wait(to, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Wait')
		call mpi_wait(from, status, ierr)
		call both('MPI_Wait')
		call show('nobody', from, status)
	end subroutine

	subroutine wait_all(n)
		integer, intent(in) :: n
		REQUEST_T, allocatable :: list(:)
		integer, allocatable :: number(:)
		STATUSES_T(statuses, 2 * n + 1)
		integer :: turn, i

		allocate (list(2 * n + 1), number(2 * n))
		do turn = 1, 2
			do i = 1, n
				call irecv(i, i, list(i), number(i))
			end do
			do i = 1, n
				call isend(i, i, list(n + i), number(n + i))
			end do
			list(2 * n + 1) = MPI_REQUEST_NULL
			if (turn == 1) then
				call mpi_waitall(2 * n + 1, list, MPI_STATUSES_IGNORE, ierr)
			else
				call mpi_waitall(2 * n + 1, list, statuses, ierr)
			end if
			call enter('MPI_Waitall')
			do i = 1, n
				call received(other, i, world, 4, number(i))
			end do
			do i = n + 1, 2 * n
				call request('sent', number(i))
			end do
			call leave('MPI_Waitall')
			do i = 1, 2 * n
				CHECK(list(i) == MPI_REQUEST_NULL)
			end do
		end do
		do i = 1, n
			CHECK(SOURCE_AT(statuses, i) == other .and. TAG_AT(statuses, i) == i)
		end do
		call mpi_waitall(2 * n + 1, list, MPI_STATUSES_IGNORE, ierr)
		call both('MPI_Waitall')
	end subroutine

	! Each of three arrives alone.
	subroutine wait_any_and_some()
		REQUEST_T :: list(3)
		STATUS_T(status)
		STATUSES_T(statuses, 3)
		integer :: number(3), indices(3), i, index, count

		do i = 1, 3
			call irecv(i, 20 + i, list(i), number(i))
		end do
		call meet()
		call send(22)
		call mpi_waitany(3, list, index, status, ierr)
		call both('MPI_Waitany')
		call received(other, 22, world, 4, number(2))
		first = index - 1
		CHECK((first == 0 .or. first == 1) .and. list(2) == MPI_REQUEST_NULL)
		call show('waitany', list(2), status)
		call meet()
		call send(23)
		call mpi_waitsome(3, list, count, indices, statuses, ierr)
		call enter('MPI_Waitsome')
		call received(other, 23, world, 4, number(3))
		call leave('MPI_Waitsome')
		CHECK(count == 1 .and. indices(1) == first + 2 .and. list(3) == MPI_REQUEST_NULL)
		print *, 'waitsome', SOURCE_AT(statuses, 1), TAG_AT(statuses, 1)
		call meet()
		call send(21)
		call mpi_waitsome(3, list, count, indices, MPI_STATUSES_IGNORE, ierr)
		call enter('MPI_Waitsome')
		call received(other, 21, world, 4, number(1))
		call leave('MPI_Waitsome')
		CHECK(count == 1 .and. indices(1) == first)
		call mpi_waitsome(3, list, count, indices, statuses, ierr)
		call both('MPI_Waitsome')
		CHECK(count == MPI_UNDEFINED)
		call mpi_waitany(3, list, index, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Waitany')
		print *, 'waitany of none', index == MPI_UNDEFINED
	end subroutine

	subroutine test_each()
		REQUEST_T :: from, to
		STATUS_T(status)
		logical :: flag
		integer :: i, r, s

		call irecv(1, 30, from, r)
		call meet()
		do i = 1, 5
			call mpi_test(from, flag, MPI_STATUS_IGNORE, ierr)
			CHECK(.not. flag .and. from /= MPI_REQUEST_NULL)
		end do
		call polls('MPI_Test', 5)
		call mpi_request_get_status(from, flag, status, ierr)
		call polls('MPI_Request_get_status', 1)
		CHECK(.not. flag)
		call meet()
		call isend(1, 30, to, s)
		call after(31)
		call mpi_request_get_status(from, flag, status, ierr)
		call both('MPI_Request_get_status')
		call received(other, 30, world, 4, r)
		call show('get_status', from, status)
		CHECK(flag .and. from /= MPI_REQUEST_NULL)
		call mpi_request_get_status(from, flag, MPI_STATUS_IGNORE, ierr)
		if (flag) then
			call both('MPI_Request_get_status')
		else	! Open MPI looks at nothing then
			call polls('MPI_Request_get_status', 1)
		end if
		call mpi_test(from, flag, status, ierr)
		call both('MPI_Test')
		CHECK(flag)
		call show('test', from, status)
		call mpi_test(from, flag, status, ierr)
		call both('MPI_Test')
		CHECK(flag)
		call mpi_wait(to, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Wait')
		call request('sent', s)
	end subroutine

	! Requests first..last were begun as so many messages, which have arrived.
	subroutine begin_many(list, number, tag)
		REQUEST_T :: list(3)
		integer :: number(3)
		integer, intent(in) :: tag
		integer :: i

		do i = 1, 3
			call irecv(i, tag + i, list(i), number(i))
		end do
		call meet()
	end subroutine

	subroutine test_many()
		REQUEST_T :: list(3)
		STATUS_T(status)
		STATUSES_T(statuses, 3)
		integer :: number(3), indices(3), i, index, count
		logical :: flag

		call begin_many(list, number, 40)
		call mpi_testany(3, list, index, flag, status, ierr)
		call polls('MPI_Testany', 1)
		CHECK(.not. flag)
		print *, 'testany of none', index == MPI_UNDEFINED
		call mpi_testsome(3, list, count, indices, statuses, ierr)
		call polls('MPI_Testsome', 1)
		CHECK(count == 0)
		call mpi_testall(3, list, flag, statuses, ierr)
		call polls('MPI_Testall', 1)
		CHECK(.not. flag)
		call meet()
		call send(42)
		call after(49)
		call mpi_testany(3, list, index, flag, status, ierr)
		call both('MPI_Testany')
		call received(other, 42, world, 4, number(2))
		CHECK(flag .and. index == first + 1)
		call show('testany', list(2), status)
		call meet()
		call send(41)
		call send(43)
		call after(49)
		call mpi_testsome(3, list, count, indices, statuses, ierr)
		call enter('MPI_Testsome')
		CHECK(count == 2)
		do i = 1, count
			index = indices(i) - first + 1
			call received(other, 40 + index, world, 4, number(index))
			print *, 'testsome', indices(i), SOURCE_AT(statuses, i), TAG_AT(statuses, i)
		end do
		call leave('MPI_Testsome')
		call mpi_testany(3, list, index, flag, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Testany')
		CHECK(flag)
		call mpi_testsome(3, list, count, indices, MPI_STATUSES_IGNORE, ierr)
		call folded('MPI_Testsome', 1, 'settled')
		CHECK(count == MPI_UNDEFINED)

		call begin_many(list, number, 50)
		do i = 1, 3
			call send(50 + i)
		end do
		call after(59)
		call mpi_testall(3, list, flag, statuses, ierr)
		CHECK(flag)
		call enter('MPI_Testall')
		do i = 1, 3
			call received(other, 50 + i, world, 4, number(i))
			print *, 'testall', SOURCE_AT(statuses, i), TAG_AT(statuses, i), list(i) == MPI_REQUEST_NULL
		end do
		call leave('MPI_Testall')
	end subroutine

	! Of what has nothing to find the first is a call, what comes behind it are rows.
	subroutine test_none()
		REQUEST_T :: list(2)
		STATUS_T(status)
		STATUSES_T(statuses, 2)
		integer :: indices(2), i, index, count
		logical :: flag

		list = MPI_REQUEST_NULL
		do i = 1, 1000
			call mpi_testany(2, list, index, flag, status, ierr)
			CHECK(flag)
		end do
		print *, 'testany of null ones', index
		call both('MPI_Testany')
		call folded('MPI_Testany', 999, 'settled')
		do i = 1, 1000
			call mpi_test(list(1), flag, MPI_STATUS_IGNORE, ierr)
			CHECK(flag)
			call mpi_testall(2, list, flag, statuses, ierr)
			CHECK(flag)
			call mpi_testsome(2, list, count, indices, MPI_STATUSES_IGNORE, ierr)
			CHECK(count == MPI_UNDEFINED)
			call mpi_request_get_status(list(2), flag, status, ierr)
			CHECK(flag)
		end do
		call folded('MPI_Test', 1000, 'settled')
		call folded('MPI_Testall', 1000, 'settled')
		call folded('MPI_Testsome', 1000, 'settled')
		call folded('MPI_Request_get_status', 1000, 'settled')
	end subroutine

	subroutine persistent()
		REQUEST_T :: list(2)
		STATUS_T(status)
		integer :: i, r, s

		call mpi_recv_init(got, 3, MPI_INTEGER, other, 60, MPI_COMM_WORLD, list(1), ierr)
		call both('MPI_Recv_init')
		call mpi_ssend_init(mine, 3, MPI_INTEGER, other, 60, MPI_COMM_WORLD, list(2), ierr)
		call both('MPI_Ssend_init')
		do i = 1, 3
			call mpi_start(list(1), ierr)
			call both('MPI_Start')
			call begins_recv(r)
			call mpi_start(list(2), ierr)
			call enter('MPI_Start')
			call begins_send(other, 60, world, 12, s)
			call leave('MPI_Start')
			call mpi_wait(list(1), status, ierr)
			call both('MPI_Wait')
			call received(other, 60, world, 12, r)
			call show('persistent', list(1), status)
			call mpi_wait(list(2), MPI_STATUS_IGNORE, ierr)
			call both('MPI_Wait')
			call request('sent', s)
		end do
		do i = 1, 2
			call mpi_request_free(list(i), ierr)
			call both('MPI_Request_free')
			CHECK(list(i) == MPI_REQUEST_NULL)
		end do
	end subroutine

	! What stands with the Enter of MPI_Startall may be more than fits there; so may what is before its Leave.
	subroutine persistent_many(n)
		integer, intent(in) :: n
		REQUEST_T :: list(2 * n)
		integer :: number(2 * n), i, turn

		do i = 1, n
			call mpi_recv_init(got(i), 1, MPI_INTEGER, other, 100 + i, MPI_COMM_WORLD, list(i), ierr)
			call both('MPI_Recv_init')
			call mpi_send_init(mine(i), 1, MPI_INTEGER, other, 100 + i, MPI_COMM_WORLD, list(n + i), ierr)
			call both('MPI_Send_init')
		end do
		do turn = 1, 2
			call mpi_startall(2 * n, list, ierr)
			! Numbers are given as requests are looked at: sends get theirs, and then receives too,
			! before the call, in one go.
			number = [(begun + i, i = 1, 2 * n)]
			begun = begun + 2 * n
			call enter('MPI_Startall')
			do i = n + 1, 2 * n
				call message('send to', other, 100 + i - n, world, 4, number(i))
			end do
			do i = 1, n
				call request('irecv', number(i))
			end do
			call leave('MPI_Startall')
			call mpi_waitall(2 * n, list, MPI_STATUSES_IGNORE, ierr)
			call enter('MPI_Waitall')
			do i = 1, n
				call received(other, 100 + i, world, 4, number(i))
			end do
			do i = n + 1, 2 * n
				call request('sent', number(i))
			end do
			call leave('MPI_Waitall')
		end do
		do i = 1, 2 * n
			call mpi_request_free(list(i), ierr)
			call both('MPI_Request_free')
		end do
	end subroutine

	subroutine cancelled()
		REQUEST_T :: from
		STATUS_T(status)
		logical :: flag
		integer :: r

		call irecv(1, 99, from, r)
		call mpi_cancel(from, ierr)
		call both('MPI_Cancel')
		call mpi_wait(from, status, ierr)
		call both('MPI_Wait')
		call request('cancelled', r)
		call mpi_test_cancelled(status, flag, ierr)
		call both('MPI_Test_cancelled')
		CHECK(flag .and. from == MPI_REQUEST_NULL)
	end subroutine

	! A send that nobody waits for, and another one that may have the same handle
	subroutine freed()
		REQUEST_T :: to, next, from
		integer :: r, s, n

		call irecv(1, 70, from, r)
		call isend(1, 70, to, s)
		call isend(2, 71, next, n)
		call mpi_request_free(to, ierr)
		call both('MPI_Request_free')
		CHECK(to == MPI_REQUEST_NULL)
		call mpi_wait(from, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Wait')
		call received(other, 70, world, 4, r)
		call irecv(2, 71, from, r)
		call mpi_wait(from, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Wait')
		call received(other, 71, world, 4, r)
		call mpi_wait(next, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Wait')
		call request('sent', n)
	end subroutine

	subroutine probed()
		MESSAGE_T :: message
		REQUEST_T :: from
		STATUS_T(status)
		logical :: flag
		integer :: r

		call mpi_improbe(other, 80, MPI_COMM_WORLD, flag, message, MPI_STATUS_IGNORE, ierr)
		call polls('MPI_Improbe', 1)
		CHECK(.not. flag)
		call meet()
		call send(80)
		call after(81)
		call mpi_improbe(other, 80, MPI_COMM_WORLD, flag, message, status, ierr)
		call both('MPI_Improbe')
		CHECK(flag)
		print *, 'improbe', SOURCE_OF(status), TAG_OF(status)
		call mpi_imrecv(got, 1, MPI_INTEGER, message, from, ierr)
		call irecvs('MPI_Imrecv', r)
		call mpi_wait(from, status, ierr)
		call both('MPI_Wait')
		call received(other, 80, world, 4, r)
		call show('imrecv', from, status)
		call send(82)
		call mpi_mprobe(other, 82, MPI_COMM_WORLD, message, status, ierr)
		call both('MPI_Mprobe')
		call mpi_mrecv(got, 1, MPI_INTEGER, message, status, ierr)
		call receives('MPI_Mrecv', other, 82, world, 4)
		print *, 'mrecv', SOURCE_OF(status), TAG_OF(status), message == MPI_MESSAGE_NULL
	end subroutine
end program
