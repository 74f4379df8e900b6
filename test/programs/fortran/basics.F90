! SPDX-License-Identifier: BSD-3-Clause
! What Fortran programs do with MPI, in each of its bindings; see binding.h. Writes what it does into the
! expect file; see expect.f90. Two ranks.
#include "binding.h"

program basics
	USE_MPI
	use expect
	implicit none
	INCLUDE_MPI
	character(len=*), parameter :: world = 'MPI_COMM_WORLD'
	integer :: ierr, other, n

	call expect_open()
	call mpi_init(ierr)
	call both('MPI_Init')
	call mpi_comm_rank(MPI_COMM_WORLD, n, ierr)
	call both('MPI_Comm_rank')
	CHECK(n == rank)
	call mpi_comm_size(MPI_COMM_WORLD, n, ierr)
	call both('MPI_Comm_size')
	CHECK(n == 2)
	other = 1 - rank
	call messages()
	call collectives()
	call communicators()
	call errors()
	call mpi_finalize(ierr)
	call both('MPI_Finalize')
contains
	subroutine messages()
		integer :: a(8), b(8), count
		integer, save :: buffer(1000)	! attached to the end
		logical :: flag
		MESSAGE_T :: found
		DTYPE_T :: pair
		STATUS_T(status)

		a = rank
		if (rank == 0) then
			call mpi_send(a, 8, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, ierr)
			call sends('MPI_Send', 1, 5, world, 32)
			call mpi_ssend(a, 3, MPI_INTEGER, 1, 6, MPI_COMM_WORLD, ierr)
			call sends('MPI_Ssend', 1, 6, world, 12)
			call mpi_buffer_attach(buffer, 4000, ierr)
			call both('MPI_Buffer_attach')
			call mpi_bsend(a, 2, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, ierr)
			call sends('MPI_Bsend', 1, 7, world, 8)
			call mpi_send(a, 1, MPI_INTEGER, 1, 8, MPI_COMM_WORLD, ierr)
			call sends('MPI_Send', 1, 8, world, 4)
		else
			call mpi_recv(b, 8, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
				status, ierr)
			call receives('MPI_Recv', 0, 5, world, 32)
			call mpi_get_count(status, MPI_INTEGER, count, ierr)
			call both('MPI_Get_count')
			CHECK(count == 8)
			call mpi_recv(b, 8, MPI_INTEGER, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
			call receives('MPI_Recv', 0, 6, world, 12)
			call mpi_probe(0, 7, MPI_COMM_WORLD, status, ierr)
			call both('MPI_Probe')
			call mpi_recv(b, 8, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, status, ierr)
			call receives('MPI_Recv', 0, 7, world, 8)
			call mpi_mprobe(0, 8, MPI_COMM_WORLD, found, MPI_STATUS_IGNORE, ierr)
			call both('MPI_Mprobe')
			call mpi_mrecv(b, 8, MPI_INTEGER, found, MPI_STATUS_IGNORE, ierr)
			call receives('MPI_Mrecv', 0, 8, world, 4)
			CHECK(all(b == 0))
		end if
		call mpi_type_contiguous(2, MPI_INTEGER, pair, ierr)
		call both('MPI_Type_contiguous')
		call mpi_type_commit(pair, ierr)
		call both('MPI_Type_commit')
		call mpi_sendrecv(a, 4, pair, other, 9, b, 4, pair, other, 9, MPI_COMM_WORLD, &
			MPI_STATUS_IGNORE, ierr)
		call enter('MPI_Sendrecv')
		call message('send to', other, 9, world, 32)
		call leave('MPI_Sendrecv')
		call message('recv from', other, 9, world, 32)
		CHECK(all(b == other))
		call mpi_type_free(pair, ierr)
		call both('MPI_Type_free')
		call mpi_send(a, 1, MPI_INTEGER, MPI_PROC_NULL, 5, MPI_COMM_WORLD, ierr)
		call both('MPI_Send')
		call mpi_initialized(flag, ierr)
		call both('MPI_Initialized')
		CHECK(flag)
	end subroutine

	subroutine collectives()
		integer :: a(8), b(8), counts(2), places(2), both_ints(2)
		DTYPE_T :: types(2)

		call mpi_barrier(MPI_COMM_WORLD, ierr)
		call collective('MPI_Barrier', world, -1, 0, 0)
		a = rank + 1
		call mpi_bcast(a, 4, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
		call collective('MPI_Bcast', world, 1, merge(32, 0, rank == 1), 16)
		call mpi_allreduce(a, b, 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
		call collective('MPI_Allreduce', world, -1, 64, 64)
		a = rank
		counts = [ 1, 2 ]
		places = [ 0, 1 ]
		call mpi_allgatherv(a, counts(rank + 1), MPI_INTEGER, b, counts, places, MPI_INTEGER, &
			MPI_COMM_WORLD, ierr)
		call collective('MPI_Allgatherv', world, -1, 8 * counts(rank + 1), 12)
		CHECK(all(b(:3) == [ 0, 1, 1 ]))
		both_ints = rank
		call mpi_allgather(MPI_IN_PLACE, 0, MPI_INTEGER, both_ints, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
		call collective('MPI_Allgather', world, -1, 4, 4)
		counts = 2
		places = [ 0, 2 ]
		call mpi_alltoallv(a, counts, places, MPI_INTEGER, b, counts, places, MPI_INTEGER, &
			MPI_COMM_WORLD, ierr)
		call collective('MPI_Alltoallv', world, -1, 16, 16)
		types = MPI_INTEGER
		places = [ 0, 8 ]
		call mpi_alltoallw(a, counts, places, types, b, counts, places, types, MPI_COMM_WORLD, ierr)
		call collective('MPI_Alltoallw', world, -1, 16, 16)
	end subroutine

	subroutine communicators()
		COMM_T :: copy, half, cart, across
		character(len=MPI_MAX_OBJECT_NAME) :: name
		integer :: length, a(1), dims(1)
		logical :: periods(1)

		call mpi_comm_dup(MPI_COMM_WORLD, copy, ierr)
		call both('MPI_Comm_dup')
		call mpi_comm_set_name(copy, 'copied  ', ierr)
		call both('MPI_Comm_set_name')
		call mpi_comm_get_name(copy, name, length, ierr)
		call both('MPI_Comm_get_name')
		CHECK(name(:6) == 'copied' .and. length >= 6)
		call mpi_barrier(copy, ierr)
		call collective('MPI_Barrier', 'copied', -1, 0, 0)
		call mpi_comm_split(copy, rank, 0, half, ierr)
		call both('MPI_Comm_split')
		call mpi_comm_set_name(half, 'half', ierr)
		call both('MPI_Comm_set_name')
		call mpi_barrier(half, ierr)
		call collective('MPI_Barrier', 'half', -1, 0, 0)
		call mpi_intercomm_create(half, 0, copy, other, 3, across, ierr)
		call both('MPI_Intercomm_create')
		call mpi_comm_set_name(across, 'across', ierr)
		call both('MPI_Comm_set_name')
		a = rank
		call mpi_sendrecv_replace(a, 1, MPI_INTEGER, 0, 4, 0, 4, across, MPI_STATUS_IGNORE, ierr)
		call enter('MPI_Sendrecv_replace')
		call message('send to', 0, 4, 'across', 4)
		call leave('MPI_Sendrecv_replace')
		call message('recv from', 0, 4, 'across', 4)
		dims = 2
		periods = .true.
		call mpi_cart_create(copy, 1, dims, periods, .false., cart, ierr)
		call both('MPI_Cart_create')
		call mpi_comm_set_name(cart, 'ring', ierr)
		call both('MPI_Comm_set_name')
		call mpi_barrier(cart, ierr)
		call collective('MPI_Barrier', 'ring', -1, 0, 0)
		call mpi_comm_free(across, ierr)
		call both('MPI_Comm_free')
		call mpi_comm_free(half, ierr)
		call both('MPI_Comm_free')
	end subroutine

	subroutine errors()
		integer :: a(1)

		a = 0
		call mpi_comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
		call both('MPI_Comm_set_errhandler')
		call mpi_send(a, 1, MPI_INTEGER, 99, 1, MPI_COMM_WORLD, ierr)
		CHECK(ierr /= MPI_SUCCESS)
		call failed('MPI_Send', ierr)
		call mpi_recv(a, 1, MPI_INTEGER, 99, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
		CHECK(ierr /= MPI_SUCCESS)
		call failed('MPI_Recv', ierr)
	end subroutine
end program
