! SPDX-License-Identifier: BSD-3-Clause
! Both languages in one program: while one rank makes a communicator in C, the other makes it in Fortran, and what is
! begun in the one language is completed in the other. Two ranks. The calls in C are in mixed.c.
#include "binding.h"
#if defined(BINDING_f08)
#define RAW(handle) handle%MPI_VAL
#else
#define RAW(handle) handle
#endif

module in_c
	use, intrinsic :: iso_c_binding, only: c_int
	implicit none
	integer, asynchronous :: mine(64), got(64)

	interface
		subroutine c_init() bind(C)
		end subroutine
		integer(c_int) function c_dup(comm) bind(C)
			import
			integer(c_int), value :: comm
		end function
		integer(c_int) function c_split(comm, color, key) bind(C)
			import
			integer(c_int), value :: comm, color, key
		end function
		subroutine c_free(comm) bind(C)
			import
			integer(c_int), value :: comm
		end subroutine
		subroutine c_barrier(comm) bind(C)
			import
			integer(c_int), value :: comm
		end subroutine
		integer(c_int) function c_irecv(buf, from, tag, comm) bind(C)
			import
			integer(c_int) :: buf
			integer(c_int), value :: from, tag, comm
		end function
		integer(c_int) function c_isend(buf, to, tag, comm) bind(C)
			import
			integer(c_int) :: buf
			integer(c_int), value :: to, tag, comm
		end function
		integer(c_int) function c_recv_init(buf, from, tag, comm) bind(C)
			import
			integer(c_int) :: buf
			integer(c_int), value :: from, tag, comm
		end function
		subroutine c_wait(request) bind(C)
			import
			integer(c_int), value :: request
		end subroutine
		subroutine c_start(request) bind(C)
			import
			integer(c_int), value :: request
		end subroutine
		subroutine c_waitall(n, requests) bind(C)
			import
			integer(c_int), value :: n
			integer(c_int) :: requests(n)
		end subroutine
		integer(c_int) function c_pair() bind(C)
			import
		end function
	end interface
end module

program mixed
	USE_MPI
	use expect
	use in_c
	implicit none
	INCLUDE_MPI
	integer :: ierr, other, turn

	call expect_open()
	call c_init()
	call both('MPI_Init')
	other = 1 - rank
	mine = rank
	! What an MPI makes ready for Fortran at the first call from there, it does now; two things that need it.
#if defined(BINDING_h)
	call ignored()
	call in_place()
#else
	call in_place()
	call ignored()
#endif
	do turn = 0, 3
		call communicators(modulo(turn + rank, 2) == 0, 'copy' // digits(turn), 'part' // digits(turn))
	end do
	call requests('MPI_COMM_WORLD', MPI_COMM_WORLD)
	call many(100)
	call types()
	call mpi_finalize(ierr)
	call both('MPI_Finalize')
contains
	subroutine ignored()
		call mpi_sendrecv(mine, 1, MPI_INTEGER, other, 1, got, 1, MPI_INTEGER, other, 1, &
			MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
		call enter('MPI_Sendrecv')
		call message('send to', other, 1, 'MPI_COMM_WORLD', 4)
		call leave('MPI_Sendrecv')
		call message('recv from', other, 1, 'MPI_COMM_WORLD', 4)
	end subroutine

	subroutine in_place()
		got = 1
		call mpi_allreduce(MPI_IN_PLACE, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
		call collective('MPI_Allreduce', 'MPI_COMM_WORLD', no_root, 4, 4)
		CHECK(got(1) == 2)
	end subroutine

	! Made in C or in Fortran, by one rank so and by the other so; used in the other language, and freed in either
	subroutine communicators(c_makes, copy_name, part_name)
		logical, intent(in) :: c_makes
		character(len=*), intent(in) :: copy_name, part_name
		COMM_T :: copy, part

		if (c_makes) then
			RAW(copy) = c_dup(RAW(MPI_COMM_WORLD))
			RAW(part) = c_split(RAW(copy), 0, other)
		else
			call mpi_comm_dup(MPI_COMM_WORLD, copy, ierr)
			call mpi_comm_split(copy, 0, other, part, ierr)
		end if
		call both('MPI_Comm_dup')
		call both('MPI_Comm_split')
		call mpi_comm_set_name(copy, copy_name, ierr)
		call both('MPI_Comm_set_name')
		call mpi_comm_set_name(part, part_name, ierr)
		call both('MPI_Comm_set_name')
		if (c_makes) then
			call mpi_barrier(part, ierr)
		else
			call c_barrier(RAW(part))
		end if
		call collective('MPI_Barrier', part_name, no_root, 0, 0)
		call requests(copy_name, copy)
		if (c_makes) then
			call mpi_comm_free(part, ierr)
		else
			call c_free(RAW(part))
		end if
		call both('MPI_Comm_free')
	end subroutine

	subroutine requests(name, comm)
		character(len=*), intent(in) :: name
		COMM_T, intent(in) :: comm
		REQUEST_T :: from, to
		integer :: r, s, i

		! begun in C, completed in Fortran
		RAW(from) = c_irecv(got(1), other, 1, RAW(comm))
		call irecvs('MPI_Irecv', r)
		RAW(to) = c_isend(mine(1), other, 1, RAW(comm))
		call isends('MPI_Isend', other, 1, name, 4, s)
		call mpi_wait(from, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Wait')
		call received(other, 1, name, 4, r)
		call mpi_wait(to, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Wait')
		call request('sent', s)
		CHECK(got(1) == other .and. from == MPI_REQUEST_NULL)
		! and the other way round
		call mpi_irecv(got, 1, MPI_INTEGER, other, 2, comm, from, ierr)
		call irecvs('MPI_Irecv', r)
		call mpi_isend(mine, 1, MPI_INTEGER, other, 2, comm, to, ierr)
		call isends('MPI_Isend', other, 2, name, 4, s)
		call c_wait(RAW(to))
		call both('MPI_Wait')
		call request('sent', s)
		call c_wait(RAW(from))
		call both('MPI_Wait')
		call received(other, 2, name, 4, r)
		! persistent: made in C, started in each in turn
		RAW(from) = c_recv_init(got(1), other, 3, RAW(comm))
		call both('MPI_Recv_init')
		do i = 1, 4
			if (modulo(i, 2) == 0) then
				call c_start(RAW(from))
			else
				call mpi_start(from, ierr)
			end if
			call both('MPI_Start')
			call begins_recv(r)
			call mpi_send(mine, 1, MPI_INTEGER, other, 3, comm, ierr)
			call sends('MPI_Send', other, 3, name, 4)
			if (i < 3) then
				call mpi_wait(from, MPI_STATUS_IGNORE, ierr)
			else
				call c_wait(RAW(from))
			end if
			call both('MPI_Wait')
			call received(other, 3, name, 4, r)
		end do
		call mpi_request_free(from, ierr)
		call both('MPI_Request_free')
	end subroutine

	! An array of them from both languages
	subroutine many(n)
		integer, intent(in) :: n
		REQUEST_T :: list(2 * n)
		integer :: number(2 * n), handles(2 * n), i, turn

		do turn = 1, 2
			do i = 1, n
				if (modulo(i, 2) == 0) then
					RAW(list(i)) = c_irecv(got(1 + modulo(i, 64)), other, i, RAW(MPI_COMM_WORLD))
				else
					call mpi_irecv(got(1 + modulo(i, 64)), 1, MPI_INTEGER, other, i, &
						MPI_COMM_WORLD, list(i), ierr)
				end if
				call irecvs('MPI_Irecv', number(i))
			end do
			do i = 1, n
				if (modulo(i, 2) == 0) then
					call mpi_isend(mine, 1, MPI_INTEGER, other, i, MPI_COMM_WORLD, list(n + i), ierr)
				else
					RAW(list(n + i)) = c_isend(mine(1), other, i, RAW(MPI_COMM_WORLD))
				end if
				call isends('MPI_Isend', other, i, 'MPI_COMM_WORLD', 4, number(n + i))
			end do
			if (turn == 1) then
				call mpi_waitall(2 * n, list, MPI_STATUSES_IGNORE, ierr)
			else
				do i = 1, 2 * n
					handles(i) = RAW(list(i))
				end do
				call c_waitall(2 * n, handles)
			end if
			call enter('MPI_Waitall')
			do i = 1, n
				call received(other, i, 'MPI_COMM_WORLD', 4, number(i))
			end do
			do i = n + 1, 2 * n
				call request('sent', number(i))
			end do
			call leave('MPI_Waitall')
		end do
	end subroutine

	! A datatype of C's in Fortran
	subroutine types()
		DTYPE_T :: pair

		RAW(pair) = c_pair()
		call both('MPI_Type_contiguous')
		call both('MPI_Type_commit')
		call mpi_bcast(got, 2, pair, 0, MPI_COMM_WORLD, ierr)
		call collective('MPI_Bcast', 'MPI_COMM_WORLD', 0, merge(32, 0, rank == 0), 16)
		call mpi_type_free(pair, ierr)
		call both('MPI_Type_free')
	end subroutine
end program
