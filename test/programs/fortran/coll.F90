! SPDX-License-Identifier: BSD-3-Clause
! Every collective operation on an intracommunicator from Fortran, blocking, non-blocking and persistent, with
! MPI_IN_PLACE too where it allows that. The bytes are those that src/pmpi/adapter/collective.c explains.
#include "binding.h"
#include "ways.h"

program coll
	USE_MPI
	USE_MPI_EXTENSIONS
	use expect
	use job
	use operands
	implicit none
	INCLUDE_MPI
	character(len=*), parameter :: ours = 'MPI_COMM_WORLD'
	integer, allocatable :: counts(:), offsets(:)
	integer :: ierr, n, number, turn, total, mine, others, root, i
	logical :: is_root
	REQUEST_T :: handle

	call begin_job(n)
	allocate (counts(n), offsets(n))
	counts = [(i - 1, i = 1, n)]	! nothing from or to rank 0
	offsets = [(sum(counts(:i - 1)), i = 1, n)]
	total = sum(counts)
	mine = counts(rank + 1)
	others = n - 1
	do root = 0, n - 1, n - 1
		is_root = rank == root
		call rooted()
		call rooted_in_place()
	end do
	call all()
	call all_in_place()
	call all_to_all()
	call end_job()
contains
	subroutine rooted()
#define ARGS in, 3, MPI_INTEGER, root, MPI_COMM_WORLD
		WAYS(bcast, root, (merge(12 * n, 0, is_root)), 12)
#undef ARGS
#define ARGS in, 2, MPI_INTEGER, out, 2, MPI_INTEGER, root, MPI_COMM_WORLD
		WAYS(gather, root, 8, (merge(8 * n, 0, is_root)))
		WAYS(scatter, root, (merge(8 * n, 0, is_root)), 8)
#undef ARGS
#define ARGS in, mine, MPI_INTEGER, out, counts, offsets, MPI_INTEGER, root, MPI_COMM_WORLD
		WAYS(gatherv, root, 4 * mine, (merge(4 * total, 0, is_root)))
#undef ARGS
#define ARGS in, counts, offsets, MPI_INTEGER, out, mine, MPI_INTEGER, root, MPI_COMM_WORLD
		WAYS(scatterv, root, (merge(4 * total, 0, is_root)), 4 * mine)
#undef ARGS
#define ARGS in, out, 5, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD
		WAYS(reduce, root, 20, (merge(20 * n, 0, is_root)))
#undef ARGS
	end subroutine

	! Only the root's own part may stay in place.
	subroutine rooted_in_place()
		if (is_root) then
#define ARGS MPI_IN_PLACE, 2, MPI_INTEGER, out, 2, MPI_INTEGER, root, MPI_COMM_WORLD
			WAYS(gather, root, 0, 8 * others)
#undef ARGS
#define ARGS in, 2, MPI_INTEGER, MPI_IN_PLACE, 2, MPI_INTEGER, root, MPI_COMM_WORLD
			WAYS(scatter, root, 8 * others, 0)
#undef ARGS
#define ARGS MPI_IN_PLACE, 0, MPI_INTEGER, out, counts, offsets, MPI_INTEGER, root, MPI_COMM_WORLD
			WAYS(gatherv, root, 0, 4 * (total - mine))
#undef ARGS
#define ARGS in, counts, offsets, MPI_INTEGER, MPI_IN_PLACE, mine, MPI_INTEGER, root, MPI_COMM_WORLD
			WAYS(scatterv, root, 4 * (total - mine), 0)
#undef ARGS
#define ARGS MPI_IN_PLACE, out, 5, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD
			WAYS(reduce, root, 0, 20 * others)
#undef ARGS
		else
#define ARGS in, 2, MPI_INTEGER, out, 2, MPI_INTEGER, root, MPI_COMM_WORLD
			WAYS(gather, root, 8, 0)
			WAYS(scatter, root, 0, 8)
#undef ARGS
#define ARGS in, mine, MPI_INTEGER, out, counts, offsets, MPI_INTEGER, root, MPI_COMM_WORLD
			WAYS(gatherv, root, 4 * mine, 0)
#undef ARGS
#define ARGS in, counts, offsets, MPI_INTEGER, out, mine, MPI_INTEGER, root, MPI_COMM_WORLD
			WAYS(scatterv, root, 0, 4 * mine)
#undef ARGS
#define ARGS in, out, 5, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD
			WAYS(reduce, root, 20, 0)
#undef ARGS
		end if
	end subroutine

	subroutine all()
#define ARGS in, 2, MPI_INTEGER, out, 2, MPI_INTEGER, MPI_COMM_WORLD
		WAYS(allgather, no_root, 8 * n, 8 * n)
		WAYS(alltoall, no_root, 8 * n, 8 * n)
#undef ARGS
#define ARGS in, mine, MPI_INTEGER, out, counts, offsets, MPI_INTEGER, MPI_COMM_WORLD
		WAYS(allgatherv, no_root, 4 * n * mine, 4 * total)
#undef ARGS
#define ARGS in, out, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD
		WAYS(allreduce, no_root, 12 * n, 12 * n)
		WAYS(reduce_scatter_block, no_root, 12 * n, 12 * n)
		WAYS(scan, no_root, 12 * (n - rank), 12 * (rank + 1))
		WAYS(exscan, no_root, 12 * (others - rank), 12 * rank)
#undef ARGS
#define ARGS in, out, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD
		WAYS(reduce_scatter, no_root, 4 * total, 4 * n * mine)
#undef ARGS
#define ARGS MPI_COMM_WORLD
		WAYS(barrier, no_root, 0, 0)
#undef ARGS
	end subroutine

	subroutine all_in_place()
#define ARGS MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INTEGER, MPI_COMM_WORLD
		WAYS(allgather, no_root, 8 * others, 8 * others)
		WAYS(alltoall, no_root, 8 * others, 8 * others)
#undef ARGS
#define ARGS MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, counts, offsets, MPI_INTEGER, MPI_COMM_WORLD
		WAYS(allgatherv, no_root, 4 * others * mine, 4 * (total - mine))
#undef ARGS
#define ARGS MPI_IN_PLACE, out, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD
		WAYS(allreduce, no_root, 12 * others, 12 * others)
		WAYS(reduce_scatter_block, no_root, 12 * others, 12 * others)
		WAYS(scan, no_root, 12 * (others - rank), 12 * rank)
#undef ARGS
#define ARGS MPI_IN_PLACE, out, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD
		WAYS(reduce_scatter, no_root, 4 * (total - mine), 4 * others * mine)
#undef ARGS
	end subroutine

	! Rank i sends i + j + 1 values to rank j; so each receives as many from it.
	subroutine all_to_all()
		integer :: values(n), at(n), bytes, away
		DTYPE_T :: types(n)

		values = [(rank + i, i = 1, n)]
		at = [(sum(values(:i - 1)), i = 1, n)]
		bytes = 4 * sum(values)
		away = bytes - 4 * values(rank + 1)
#define ARGS in, values, at, MPI_INTEGER, out, values, at, MPI_INTEGER, MPI_COMM_WORLD
		WAYS(alltoallv, no_root, bytes, bytes)
#undef ARGS
#define ARGS MPI_IN_PLACE, values, at, MPI_DATATYPE_NULL, out, values, at, MPI_INTEGER, MPI_COMM_WORLD
		WAYS(alltoallv, no_root, away, away)
#undef ARGS
		types = MPI_INTEGER
		at = 4 * at
#define ARGS in, values, at, types, out, values, at, types, MPI_COMM_WORLD
		WAYS(alltoallw, no_root, bytes, bytes)
#undef ARGS
#define ARGS MPI_IN_PLACE, values, at, types, out, values, at, types, MPI_COMM_WORLD
		WAYS(alltoallw, no_root, away, away)
#undef ARGS
	end subroutine
end program
