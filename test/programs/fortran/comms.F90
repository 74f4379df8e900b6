! SPDX-License-Identifier: BSD-3-Clause
! Every way to make a communicator in a job from Fortran, each with a message and a collective operation in it; messages
! and collective operations across an intercommunicator. See comm.c and inter.c. Four ranks.
#include "binding.h"
#include "ways.h"

program comms
	USE_MPI
	USE_MPI_EXTENSIONS
	use expect
	use job
	use operands
	use rings
	implicit none
	INCLUDE_MPI
	character(len=:), allocatable :: ours
	integer :: ierr, n, number, turn, root
	REQUEST_T :: handle
	COMM_T :: here

	call begin_job(n)
	CHECK(n == 4)
	call copies()
	call parts()
	call groups()
	call across()
	call end_job()
contains
	subroutine free()
		call mpi_comm_free(here, ierr)
		call both('MPI_Comm_free')
		CHECK(here == MPI_COMM_NULL)
	end subroutine

	subroutine copies()
		REQUEST_T :: request
		INFO_T :: info
		integer :: how

		call mpi_comm_dup(MPI_COMM_WORLD, here, ierr)
		call both('MPI_Comm_dup')
		call use_it(here, 'dup')
		call mpi_comm_compare(here, MPI_COMM_WORLD, how, ierr)
		call both('MPI_Comm_compare')
		CHECK(how == MPI_CONGRUENT)
		call free()
		call mpi_info_create(info, ierr)
		call both('MPI_Info_create')
		call mpi_comm_dup_with_info(MPI_COMM_WORLD, info, here, ierr)
		call both('MPI_Comm_dup_with_info')
		call use_it(here, 'with-info')
		call free()
		call mpi_info_free(info, ierr)
		call both('MPI_Info_free')
		call mpi_comm_idup(MPI_COMM_WORLD, here, request, ierr)
		call both('MPI_Comm_idup')
		call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Wait')
		call use_it(here, 'idup')
		call free()
	end subroutine

	subroutine parts()
		call mpi_comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, here, ierr)
		call both('MPI_Comm_split')
		call use_it(here, trim(merge('odd ', 'even', mod(rank, 2) == 1)))
		call free()
		call mpi_comm_split(MPI_COMM_WORLD, merge(0, MPI_UNDEFINED, rank == 0), 0, here, ierr)
		call both('MPI_Comm_split')
		if (rank == 0) then
			call use_it(here, 'alone')
			call free()
		end if
		CHECK(here == MPI_COMM_NULL)
		call mpi_comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, here, ierr)
		call both('MPI_Comm_split_type')
		call use_it(here, 'node')
		call mpi_comm_disconnect(here, ierr)
		call both('MPI_Comm_disconnect')
	end subroutine

	! Rank 0 is left out.
	subroutine groups()
		GROUP_T :: all, rest
		integer :: left_out(1), turn

		left_out = 0
		call mpi_comm_group(MPI_COMM_WORLD, all, ierr)
		call both('MPI_Comm_group')
		call mpi_group_excl(all, 1, left_out, rest, ierr)
		call both('MPI_Group_excl')
		call mpi_comm_create(MPI_COMM_WORLD, rest, here, ierr)
		call both('MPI_Comm_create')
		if (rank > 0) then
			call use_it(here, 'rest')
			call free()
			do turn = 1, 2
				call mpi_comm_create_group(MPI_COMM_WORLD, rest, 5, here, ierr)
				call both('MPI_Comm_create_group')
				call use_it(here, 'rest-by-group-' // digits(turn))
				call free()
			end do
		end if
		CHECK(here == MPI_COMM_NULL)
		call mpi_group_free(rest, ierr)
		call both('MPI_Group_free')
		call mpi_group_free(all, ierr)
		call both('MPI_Group_free')
	end subroutine

	! Between the even and the odd ranks
	subroutine across()
		GROUP_T :: others
		COMM_T :: half, merged
		logical :: flag
		integer :: me, many, even

		even = merge(1, 0, mod(rank, 2) == 0)
		call mpi_comm_split(MPI_COMM_WORLD, even, 0, half, ierr)
		call both('MPI_Comm_split')
		call mpi_intercomm_create(half, 0, MPI_COMM_WORLD, even, 17, here, ierr)
		call both('MPI_Intercomm_create')
		ours = 'across'
		call mpi_comm_set_name(here, ours, ierr)
		call both('MPI_Comm_set_name')
		call mpi_comm_test_inter(here, flag, ierr)
		call both('MPI_Comm_test_inter')
		CHECK(flag)
		call mpi_comm_remote_size(here, many, ierr)
		call both('MPI_Comm_remote_size')
		CHECK(many == 2)
		call mpi_comm_remote_group(here, others, ierr)
		call both('MPI_Comm_remote_group')
		call mpi_group_free(others, ierr)
		call both('MPI_Group_free')
		call mpi_comm_rank(here, me, ierr)
		call both('MPI_Comm_rank')
		call messages(me)
		call rooted(even == 1, me)
		call rooted(even == 0, me)
		call all_of_them()
		call mpi_intercomm_merge(here, even == 1, merged, ierr)
		call both('MPI_Intercomm_merge')
		call free()
		call mpi_comm_free(half, ierr)
		call both('MPI_Comm_free')
		here = merged
		call use_it(here, 'merged')
		call free()
	end subroutine

	subroutine messages(me)
		integer, intent(in) :: me
		STATUS_T(status)

		call refill()
		call mpi_sendrecv(in, 3, MPI_INTEGER, me, 5, out, 9, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, here, status, ierr)
		call enter('MPI_Sendrecv')
		call message('send to', me, 5, ours, 12)
		call leave('MPI_Sendrecv')
		call message('recv from', me, 5, ours, 12)
		CHECK(SOURCE_OF(status) == me)
		call report('message')
	end subroutine

	! The root passes MPI_ROOT, the others of its group MPI_PROC_NULL, which are -2 and -3 in the recording.
	subroutine rooted(here_is_root, me)
		logical, intent(in) :: here_is_root
		integer, intent(in) :: me
		integer :: told, mine, theirs

		root = 0
		told = 0
		mine = 0
		theirs = 1
		if (here_is_root) then
			root = merge(MPI_ROOT, MPI_PROC_NULL, me == 0)
			told = merge(-2, -3, me == 0)
			mine = merge(2, 0, me == 0)	! who is told something, or asked
			theirs = 0
		end if
#define ARGS in, 3, MPI_INTEGER, root, here
		BLOCKING(bcast, told, 12 * mine, 12 * theirs)
		NONBLOCKING(bcast, told, 12 * mine, 12 * theirs)
#undef ARGS
#define ARGS in, 2, MPI_INTEGER, out, 2, MPI_INTEGER, root, here
		BLOCKING(gather, told, 8 * theirs, 8 * mine)
		NONBLOCKING(gather, told, 8 * theirs, 8 * mine)
		BLOCKING(scatter, told, 8 * mine, 8 * theirs)
		NONBLOCKING(scatter, told, 8 * mine, 8 * theirs)
#undef ARGS
#define ARGS in, out, 5, MPI_INTEGER, MPI_SUM, root, here
		BLOCKING(reduce, told, 20 * theirs, 20 * mine)
		NONBLOCKING(reduce, told, 20 * theirs, 20 * mine)
#undef ARGS
	end subroutine

	subroutine all_of_them()
		integer :: counts(2), offsets(2)

		counts = 2
		offsets = [0, 2]
#define ARGS here
		BLOCKING(barrier, no_root, 0, 0)
		NONBLOCKING(barrier, no_root, 0, 0)
#undef ARGS
#define ARGS in, 2, MPI_INTEGER, out, 2, MPI_INTEGER, here
		BLOCKING(allgather, no_root, 16, 16)
		NONBLOCKING(allgather, no_root, 16, 16)
		BLOCKING(alltoall, no_root, 16, 16)
		NONBLOCKING(alltoall, no_root, 16, 16)
#undef ARGS
#define ARGS in, counts, offsets, MPI_INTEGER, out, counts, offsets, MPI_INTEGER, here
		BLOCKING(alltoallv, no_root, 16, 16)
		NONBLOCKING(alltoallv, no_root, 16, 16)
#undef ARGS
#define ARGS in, out, 3, MPI_INTEGER, MPI_SUM, here
		BLOCKING(allreduce, no_root, 24, 24)
		NONBLOCKING(allreduce, no_root, 24, 24)
#undef ARGS
	end subroutine
end program
