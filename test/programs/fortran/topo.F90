! SPDX-License-Identifier: BSD-3-Clause
! Topologies and all neighbourhood collectives, blocking, non-blocking and persistent, from Fortran; see topo.c. The
! shapes that MPI was told are printed, so that they can be looked for in the recording. Four ranks.
#include "binding.h"
#include "ways.h"

program topo
	USE_MPI
	USE_MPI_EXTENSIONS
	use expect
	use job
	use operands
	implicit none
	INCLUDE_MPI
	character(len=:), allocatable :: ours
	integer :: ierr, n, number, turn
	REQUEST_T :: handle
	COMM_T :: shaped

	call begin_job(n)
	CHECK(n == 4)
	call line_of(.false., 'line')
	call line_of(.true., 'ring')
	call grid()
	call star()
	call chain()
	call chain_by_one()
	call unweighted()
	call end_job()
contains
	subroutine named(name)
		character(len=*), intent(in) :: name

		ours = name
		call mpi_comm_set_name(shaped, name, ierr)
		call both('MPI_Comm_set_name')
	end subroutine

	subroutine shape_is(text)
		character(len=*), intent(in) :: text

		print '(a)', 'shape ' // ours // ' ' // text
	end subroutine

	subroutine cart_is(dims, periods, coords)
		integer, intent(in) :: dims(:), coords(:)
		logical, intent(in) :: periods(:)

		call shape_is('kind=cart dims=' // list(dims) // ' periodic=' // list(merge(1, 0, periods)) // &
			' coords=' // list(coords))
	end subroutine

	subroutine free()
		call mpi_comm_free(shaped, ierr)
		call both('MPI_Comm_free')
	end subroutine

	! to and from: how many there really are on either side
	subroutine neighbours(to, from)
		integer, intent(in) :: to, from
		integer :: counts(4), offsets(4), i

		counts = 3
		offsets = [(4 * (i - 1), i = 1, 4)]
#define ARGS in, 2, MPI_INTEGER, out, 2, MPI_INTEGER, shaped
		WAYS(neighbor_allgather, no_root, 8 * to, 8 * from)
		WAYS(neighbor_alltoall, no_root, 8 * to, 8 * from)
#undef ARGS
#define ARGS in, 3, MPI_INTEGER, out, counts, offsets, MPI_INTEGER, shaped
		WAYS(neighbor_allgatherv, no_root, 12 * to, 12 * from)
#undef ARGS
#define ARGS in, counts, offsets, MPI_INTEGER, out, counts, offsets, MPI_INTEGER, shaped
		WAYS(neighbor_alltoallv, no_root, 12 * to, 12 * from)
#undef ARGS
	end subroutine

	! Of distributed graphs only: for other shapes mpi_f08 of MPICH 4.0 fails.
	subroutine neighbours_with_types(to, from)
		integer, intent(in) :: to, from
		integer(kind=MPI_ADDRESS_KIND) :: places(4)
		integer :: counts(4), i
		DTYPE_T :: types(4)

		counts = 3
		places = [(16 * (i - 1), i = 1, 4)]
		types = MPI_INTEGER
#define ARGS in, counts, places, types, out, counts, places, types, shaped
		WAYS(neighbor_alltoallw, no_root, 12 * to, 12 * from)
#undef ARGS
	end subroutine

	subroutine line_of(wrap, name)
		logical, intent(in) :: wrap
		character(len=*), intent(in) :: name
		integer :: dims(1), before, after, near
		logical :: periods(1)

		dims = n
		periods = wrap
		call mpi_cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., shaped, ierr)
		call both('MPI_Cart_create')
		call named(name)
		call cart_is(dims, periods, [rank])
		call mpi_cart_shift(shaped, 0, 1, before, after, ierr)
		call both('MPI_Cart_shift')
		near = count([before, after] /= MPI_PROC_NULL)
		CHECK(near == 2 .or. .not. wrap)
		call neighbours(near, near)
		call free()
	end subroutine

	! Two dimensions, what MPI says of them, and its rows
	subroutine grid()
		integer :: dims(2), coords(2), got(2), also(2), at, many
		logical :: periods(2), wraps(2)
		COMM_T :: whole, copy

		dims = [2, 0]
		call mpi_dims_create(n, 2, dims, ierr)
		call both('MPI_Dims_create')
		CHECK(all(dims == 2))
		periods = [.true., .false.]
		call mpi_cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., shaped, ierr)
		call both('MPI_Cart_create')
		call named('grid')
		coords = [rank / 2, mod(rank, 2)]
		call cart_is(dims, periods, coords)
		call mpi_topo_test(shaped, many, ierr)
		call both('MPI_Topo_test')
		CHECK(many == MPI_CART)
		call mpi_cartdim_get(shaped, many, ierr)
		call both('MPI_Cartdim_get')
		CHECK(many == 2)
		call mpi_cart_get(shaped, 2, got, wraps, also, ierr)
		call both('MPI_Cart_get')
		CHECK(all(got == dims) .and. all(wraps .eqv. periods) .and. all(also == coords))
		call mpi_cart_rank(shaped, coords, at, ierr)
		call both('MPI_Cart_rank')
		CHECK(at == rank)
		call mpi_cart_coords(shaped, rank, 2, got, ierr)
		call both('MPI_Cart_coords')
		CHECK(all(got == coords))
		call mpi_cart_map(shaped, 2, dims, periods, at, ierr)
		call both('MPI_Cart_map')
		whole = shaped
		call mpi_comm_dup(whole, copy, ierr)
		call both('MPI_Comm_dup')
		call mpi_comm_set_name(copy, 'grid-again', ierr)
		call both('MPI_Comm_set_name')
		print '(a)', 'copied grid-again kind=cart dims=' // list(dims) // ' periodic=' // list(merge(1, 0, periods)) // &
			' coords=' // list(coords)
		call mpi_cart_sub(copy, [.false., .true.], shaped, ierr)
		call both('MPI_Cart_sub')
		call named('row')
		call cart_is([2], [.false.], coords(2:))
		call neighbours(1, 1)
		call free()
		call mpi_comm_free(copy, ierr)
		call both('MPI_Comm_free')
		call mpi_comm_free(whole, ierr)
		call both('MPI_Comm_free')
	end subroutine

	! The old kind of graph: rank 0 and the next two
	subroutine star()
		integer :: edges(4), bounds(3), got(4), ends(3), nodes, many, at

		bounds = [2, 3, 4]
		edges = [1, 2, 0, 0]
		call mpi_graph_create(MPI_COMM_WORLD, 3, bounds, edges, .false., shaped, ierr)
		call both('MPI_Graph_create')
		if (rank > 2) then
			CHECK(shaped == MPI_COMM_NULL)
			return
		end if
		call named('star')
		call shape_is('kind=graph nodes=3 edges=4 neighbours=' // trim(merge('1,2', '0  ', rank == 0)))
		call mpi_graphdims_get(shaped, nodes, many, ierr)
		call both('MPI_Graphdims_get')
		CHECK(nodes == 3 .and. many == 4)
		call mpi_graph_get(shaped, 3, 4, ends, got, ierr)
		call both('MPI_Graph_get')
		CHECK(all(ends == bounds) .and. all(got == edges))
		call mpi_graph_neighbors_count(shaped, rank, many, ierr)
		call both('MPI_Graph_neighbors_count')
		CHECK(many == merge(2, 1, rank == 0))
		call mpi_graph_neighbors(shaped, rank, many, got, ierr)
		call both('MPI_Graph_neighbors')
		CHECK(got(1) == merge(1, 0, rank == 0))
		call mpi_graph_map(shaped, 3, bounds, edges, at, ierr)
		call both('MPI_Graph_map')
		call neighbours(many, many)
		call free()
	end subroutine

	subroutine chain_is(weight)
		integer, intent(in), optional :: weight
		integer, allocatable :: from(:), to(:)
		character(len=:), allocatable :: text

		allocate (from(0), to(0))
		if (rank > 0) from = [rank - 1]
		if (rank < n - 1) to = [rank + 1]
		text = 'kind=dist-graph from=' // list(from) // ' to=' // list(to)
		if (present(weight)) then
			if (rank > 0) from = [weight]
			if (rank < n - 1) to = [weight]
			text = text // ' weights-from=' // list(from) // ' weights-to=' // list(to)
		end if
		call shape_is(text)
	end subroutine

	! Everybody sends to its successor: the last one sends to nobody.
	subroutine chain()
		integer :: source(1), target(1), weights(1), many_in, many_out, got_in(1), got_out(1), got_weights(1)
		logical :: weighted

		source = rank - 1
		target = rank + 1
		weights = 7
		call mpi_dist_graph_create_adjacent(MPI_COMM_WORLD, merge(1, 0, rank > 0), source, weights, &
			merge(1, 0, rank < n - 1), target, weights, MPI_INFO_NULL, .false., shaped, ierr)
		call both('MPI_Dist_graph_create_adjacent')
		call named('chain')
		call chain_is(7)
		call mpi_dist_graph_neighbors_count(shaped, many_in, many_out, weighted, ierr)
		call both('MPI_Dist_graph_neighbors_count')
		CHECK(many_in == merge(1, 0, rank > 0) .and. many_out == merge(1, 0, rank < n - 1) .and. weighted)
		call mpi_dist_graph_neighbors(shaped, many_in, got_in, got_weights, many_out, got_out, got_weights, ierr)
		call both('MPI_Dist_graph_neighbors')
		call neighbours(many_out, many_in)
		call neighbours_with_types(many_out, many_in)
		call free()
	end subroutine

	! The same, of which the first says everything
	subroutine chain_by_one()
		integer :: sources(3), degrees(3), targets(3), weights(3), i

		sources = [(i, i = 0, 2)]
		degrees = 1
		targets = sources + 1
		weights = 5
		call mpi_dist_graph_create(MPI_COMM_WORLD, merge(3, 0, rank == 0), sources, degrees, targets, weights, &
			MPI_INFO_NULL, .false., shaped, ierr)
		call both('MPI_Dist_graph_create')
		call named('chain-by-one')
		call chain_is(5)
		call neighbours(merge(1, 0, rank < n - 1), merge(1, 0, rank > 0))
		call free()
	end subroutine

	! Arrays that have addresses of their own in Fortran
	subroutine unweighted()
		integer :: source(1), target(1)

		source = rank - 1
		target = rank + 1
		call mpi_dist_graph_create_adjacent(MPI_COMM_WORLD, merge(1, 0, rank > 0), source, MPI_UNWEIGHTED, &
			merge(1, 0, rank < n - 1), target, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., shaped, ierr)
		call both('MPI_Dist_graph_create_adjacent')
		call named('unweighted')
		call chain_is()
		call free()
		if (rank == 0) then
			call mpi_dist_graph_create_adjacent(MPI_COMM_WORLD, 0, source, MPI_WEIGHTS_EMPTY, 0, target, &
				MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, .false., shaped, ierr)
		else
			source = 0
			target = 0
			call mpi_dist_graph_create_adjacent(MPI_COMM_WORLD, 0, source, source, 0, target, target, &
				MPI_INFO_NULL, .false., shaped, ierr)
		end if
		call both('MPI_Dist_graph_create_adjacent')
		call named('nobody')
		call shape_is('kind=dist-graph from=- to=- weights-from=- weights-to=-')
		call free()
	end subroutine
end program
