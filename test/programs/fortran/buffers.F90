! SPDX-License-Identifier: BSD-3-Clause
! What Fortran passes as buffers: every type, sections of arrays, MPI_BOTTOM; without ierror, and with large counts,
! where a binding has that. Two ranks.
#include "binding.h"

program buffers
	USE_MPI
	use expect
	implicit none
	INCLUDE_MPI
	character(len=*), parameter :: world = 'MPI_COMM_WORLD'
	integer :: ierr, other

	call expect_open()
	call mpi_init(ierr)
	call both('MPI_Init')
	other = 1 - rank
	call types()
	call bottom()
#if defined(BINDING_f08)
	if (MPI_SUBARRAYS_SUPPORTED) call sections()
	call no_ierror()
#if defined(HAVE_MPI_Send_c)
	call large()
	call large_requests()
#endif
#endif
	call mpi_finalize(ierr)
	call both('MPI_Finalize')
contains
	subroutine exchanged(tag, bytes)
		integer, intent(in) :: tag, bytes

		call enter('MPI_Sendrecv')
		call message('send to', other, tag, world, bytes)
		call leave('MPI_Sendrecv')
		call message('recv from', other, tag, world, bytes)
	end subroutine

	subroutine types()
		character(len=10) :: text, other_text
		character(len=3) :: names(2), other_names(2)
		logical :: so, other_so
		double precision :: d, other_d
		complex :: c, other_c

		text = 'from ' // digits(rank)
		call mpi_sendrecv(text, 10, MPI_CHARACTER, other, 1, other_text, 10, MPI_CHARACTER, other, 1, &
			MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
		call exchanged(1, 10)
		CHECK(other_text == 'from ' // digits(other))
		names = ['abc', 'def']
		call mpi_sendrecv(names, 6, MPI_CHARACTER, other, 2, other_names, 6, MPI_CHARACTER, other, 2, &
			MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
		call exchanged(2, 6)
		CHECK(all(other_names == names))
		so = rank == 0
		call mpi_sendrecv(so, 1, MPI_LOGICAL, other, 3, other_so, 1, MPI_LOGICAL, other, 3, &
			MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
		call exchanged(3, 4)
		CHECK(so .neqv. other_so)
		d = rank
		call mpi_sendrecv(d, 1, MPI_DOUBLE_PRECISION, other, 4, other_d, 1, MPI_DOUBLE_PRECISION, other, &
			4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
		call exchanged(4, 8)
		CHECK(other_d == other)
		c = (1.0, 2.0)
		call mpi_sendrecv(c, 1, MPI_COMPLEX, other, 5, other_c, 1, MPI_COMPLEX, other, 5, &
			MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
		call exchanged(5, 8)
		CHECK(other_c == c)
		call mpi_allreduce(so, other_so, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
		call collective('MPI_Allreduce', world, no_root, 8, 8)
		CHECK(other_so)
	end subroutine

	! The address is in the datatype.
	subroutine bottom()
		integer, asynchronous, target, save :: a(4)
		integer(kind=MPI_ADDRESS_KIND) :: places(1)
		integer :: lengths(1)
		DTYPE_T :: there
		STATUS_T(status)

		a = rank
		call mpi_get_address(a, places(1), ierr)
		call both('MPI_Get_address')
		lengths = 4
		call mpi_type_create_hindexed(1, lengths, places, MPI_INTEGER, there, ierr)
		call both('MPI_Type_create_hindexed')
		call mpi_type_commit(there, ierr)
		call both('MPI_Type_commit')
		call mpi_sendrecv_replace(MPI_BOTTOM, 1, there, other, 6, other, 6, MPI_COMM_WORLD, status, ierr)
		call enter('MPI_Sendrecv_replace')
		call message('send to', other, 6, world, 16)
		call leave('MPI_Sendrecv_replace')
		call message('recv from', other, 6, world, 16)
		CHECK(all(a == other))
		call mpi_bcast(MPI_BOTTOM, 1, there, 1, MPI_COMM_WORLD, ierr)
		call collective('MPI_Bcast', world, 1, merge(32, 0, rank == 1), 16)
		a = 1
		call mpi_allreduce(MPI_IN_PLACE, a, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
		call collective('MPI_Allreduce', world, no_root, 16, 16)
		CHECK(all(a == 2))
		call mpi_type_free(there, ierr)
		call both('MPI_Type_free')
	end subroutine

#if defined(BINDING_f08)
	! Every second element, every second row: passed by descriptor, without a copy
	subroutine sections()
		integer, asynchronous, save :: a(10), b(10), c(4, 4), d(4, 4)
		type(MPI_Request) :: both_requests(2)
		integer :: i, r, s

		a = [(10 * rank + i, i = 1, 10)]
		b = 0
		call mpi_sendrecv(a(1:9:2), 5, MPI_INTEGER, other, 7, b(2:10:2), 5, MPI_INTEGER, other, 7, &
			MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
		call exchanged(7, 20)
		CHECK(all(b(2:10:2) == [(10 * other + i, i = 1, 9, 2)]) .and. all(b(1:9:2) == 0))
		c = rank
		d = -1
		call mpi_irecv(d(::2, ::2), 4, MPI_INTEGER, other, 8, MPI_COMM_WORLD, both_requests(1), ierr)
		call irecvs('MPI_Irecv', r)
		call mpi_isend(c(::2, ::2), 4, MPI_INTEGER, other, 8, MPI_COMM_WORLD, both_requests(2), ierr)
		call isends('MPI_Isend', other, 8, world, 16, s)
		call mpi_waitall(2, both_requests, MPI_STATUSES_IGNORE, ierr)
		call enter('MPI_Waitall')
		call received(other, 8, world, 16, r)
		call request('sent', s)
		call leave('MPI_Waitall')
		CHECK(all(d(::2, ::2) == other) .and. count(d == -1) == 12)
		call mpi_bcast(c(2, :), 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
		call collective('MPI_Bcast', world, 0, merge(32, 0, rank == 0), 16)
		CHECK(all(c(2, :) == 0) .and. all(c(1, :) == rank))
		call mpi_allgather(a(::5), 2, MPI_INTEGER, d(:, 1), 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
		call collective('MPI_Allgather', world, no_root, 16, 16)
		CHECK(all(d(:, 1) == [1, 6, 11, 16]))
	end subroutine

	! The last argument may be absent.
	subroutine no_ierror()
		integer, asynchronous, save :: a(2), b(2)
		type(MPI_Comm) :: copy
		type(MPI_Request) :: one
		type(MPI_Status) :: status
		logical :: flag
		integer :: n, s, r

		a = rank
		call mpi_comm_dup(MPI_COMM_WORLD, copy)
		call both('MPI_Comm_dup')
		call mpi_comm_set_name(copy, 'short')
		call both('MPI_Comm_set_name')
		call mpi_comm_size(copy, n)
		call both('MPI_Comm_size')
		CHECK(n == 2)
		call mpi_barrier(copy)
		call collective('MPI_Barrier', 'short', no_root, 0, 0)
		call mpi_isend(a, 2, MPI_INTEGER, other, 9, copy, one)
		call isends('MPI_Isend', other, 9, 'short', 8, s)
		call mpi_recv(b, 2, MPI_INTEGER, other, 9, copy, status)
		call receives('MPI_Recv', other, 9, 'short', 8)
		CHECK(all(b == other) .and. status%MPI_SOURCE == other)
		call mpi_wait(one, MPI_STATUS_IGNORE)
		call both('MPI_Wait')
		call request('sent', s)
		call mpi_irecv(b, 2, MPI_INTEGER, other, 10, copy, one)
		call irecvs('MPI_Irecv', r)
		call mpi_test(one, flag, status)
		if (flag) error stop 'nothing was sent'
		call polls('MPI_Test', 1)
		call mpi_barrier(copy)
		call collective('MPI_Barrier', 'short', no_root, 0, 0)
		call mpi_send(a, 2, MPI_INTEGER, other, 10, copy)
		call sends('MPI_Send', other, 10, 'short', 8)
		call mpi_wait(one, status)
		call both('MPI_Wait')
		call received(other, 10, 'short', 8, r)
		call mpi_allreduce(MPI_IN_PLACE, a, 2, MPI_INTEGER, MPI_SUM, copy)
		call collective('MPI_Allreduce', 'short', no_root, 8, 8)
		CHECK(all(a == 1))
		call mpi_comm_free(copy)
		call both('MPI_Comm_free')
	end subroutine
#endif

#if defined(BINDING_f08) && defined(HAVE_MPI_Send_c)
	subroutine large()
		integer, parameter :: big = MPI_COUNT_KIND
		integer, asynchronous, save :: a(8), b(8)
		integer(kind=big) :: n, counts(2)
		integer(kind=MPI_ADDRESS_KIND) :: places(2)
		type(MPI_Datatype) :: pair, pairs(2)
		type(MPI_Status) :: status

		a = rank
		if (rank == 0) then
			call mpi_send(a, 8_big, MPI_INTEGER, 1, 11, MPI_COMM_WORLD)
			call sends('MPI_Send_c', 1, 11, world, 32)
		else
			call mpi_recv(b, 8_big, MPI_INTEGER, 0, 11, MPI_COMM_WORLD, status)
			call receives('MPI_Recv_c', 0, 11, world, 32)
			call mpi_get_count(status, MPI_INTEGER, n)
			call both('MPI_Get_count_c')
			CHECK(n == 8 .and. all(b == 0))
		end if
		call mpi_bcast(a(1:7:2), 4_big, MPI_INTEGER, 1, MPI_COMM_WORLD)
		call collective('MPI_Bcast_c', world, 1, merge(32, 0, rank == 1), 16)
		CHECK(all(a(1:7:2) == 1))
		call mpi_type_contiguous(2_big, MPI_INTEGER, pair)
		call both('MPI_Type_contiguous_c')
		call mpi_type_commit(pair)
		call both('MPI_Type_commit')
		call mpi_type_size(pair, n)
		call both('MPI_Type_size_c')
		CHECK(n == 8)
		a = rank
		counts = [1, 2]
		places = [0, 1]
		call mpi_allgatherv(a, counts(rank + 1), pair, b, counts, places, pair, MPI_COMM_WORLD)
		call collective('MPI_Allgatherv_c', world, no_root, 16 * int(counts(rank + 1)), 24)
		counts = 1
		places = [0, 8]
		pairs = pair
		call mpi_alltoallw(a, counts, places, pairs, b, counts, places, pairs, MPI_COMM_WORLD)
		call collective('MPI_Alltoallw_c', world, no_root, 16, 16)
		call mpi_allreduce(MPI_IN_PLACE, a, 2_big, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
		call collective('MPI_Allreduce_c', world, no_root, 8, 8)
		CHECK(all(a(:2) == 1))
		call mpi_type_free(pair)
		call both('MPI_Type_free')
	end subroutine

	subroutine large_requests()
		integer, parameter :: big = MPI_COUNT_KIND
		integer, asynchronous, save :: a(8), b(8)
		type(MPI_Request) :: list(3)
		integer :: r, s, c

		a = rank
		call mpi_irecv(b, 8_big, MPI_INTEGER, other, 12, MPI_COMM_WORLD, list(1))
		call irecvs('MPI_Irecv_c', r)
		call mpi_isend(a, 3_big, MPI_INTEGER, other, 12, MPI_COMM_WORLD, list(2))
		call isends('MPI_Isend_c', other, 12, world, 12, s)
		call mpi_iallreduce(MPI_IN_PLACE, a(8), 1_big, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, list(3))
		call icolls('MPI_Iallreduce_c', 'allreduce', world, c)
		call mpi_waitall(3, list, MPI_STATUSES_IGNORE)
		call enter('MPI_Waitall')
		call received(other, 12, world, 12, r)
		call request('sent', s)
		call operated('allreduce', world, no_root, 4, 4, c)
		call leave('MPI_Waitall')
		call mpi_recv_init(b, 8_big, MPI_INTEGER, other, 13, MPI_COMM_WORLD, list(1))
		call both('MPI_Recv_init_c')
		call mpi_send_init(a, 5_big, MPI_INTEGER, other, 13, MPI_COMM_WORLD, list(2))
		call both('MPI_Send_init_c')
		call mpi_start(list(1))
		call both('MPI_Start')
		call begins_recv(r)
		call mpi_start(list(2))
		call enter('MPI_Start')
		call begins_send(other, 13, world, 20, s)
		call leave('MPI_Start')
		call mpi_wait(list(1), MPI_STATUS_IGNORE)
		call both('MPI_Wait')
		call received(other, 13, world, 20, r)
		call mpi_wait(list(2), MPI_STATUS_IGNORE)
		call both('MPI_Wait')
		call request('sent', s)
		call mpi_request_free(list(1))
		call both('MPI_Request_free')
		call mpi_request_free(list(2))
		call both('MPI_Request_free')
	end subroutine
#endif
end program
