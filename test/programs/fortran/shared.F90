! SPDX-License-Identifier: BSD-3-Clause
! What several programs do alike, in the binding of the program that it is built with. What is MPI's stays private, so
! that programs have MPI in their own way.
#include "binding.h"

! How a program begins and ends, and where all ranks wait for each other
module job
	USE_MPI
	use expect
	implicit none
	private
	INCLUDE_MPI
	public :: begin_job, end_job, meet
contains
	subroutine begin_job(ranks)
		integer, intent(out), optional :: ranks
		integer :: ierr

		call expect_open()
		call mpi_init(ierr)
		call both('MPI_Init')
		if (.not. present(ranks)) return
		call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
		call both('MPI_Comm_size')
	end subroutine

	subroutine end_job()
		integer :: ierr

		call mpi_finalize(ierr)
		call both('MPI_Finalize')
	end subroutine

	subroutine meet()
		integer :: ierr

		call mpi_barrier(MPI_COMM_WORLD, ierr)
		call collective('MPI_Barrier', 'MPI_COMM_WORLD', no_root, 0, 0)
	end subroutine
end module

! Where collective operations read and write; see ways.h
module operands
	use expect
	implicit none
	integer, parameter :: most = 400
	integer, asynchronous :: in(most), out(most)
contains
	subroutine refill()
		integer :: i

		in = [(rank * 1000 + i, i = 1, most)]
		out = [(-i, i = 1, most)]
	end subroutine

	subroutine report(what)
		character(len=*), intent(in) :: what
		integer :: i

		print *, what, sum([(out(i) * i, i = 1, most)]), sum([(in(i) * i, i = 1, most)])
	end subroutine
end module

! A message around the ring and a collective operation: enough to see who is in a communicator
module rings
	USE_MPI
	use expect
	implicit none
	private
	INCLUDE_MPI
	public :: use_it
contains
	subroutine use_it(comm, name)
		COMM_T, intent(in) :: comm
		character(len=*), intent(in) :: name
		integer :: me, many, next, last, got, ierr

		call mpi_comm_set_name(comm, name, ierr)
		call both('MPI_Comm_set_name')
		call mpi_comm_rank(comm, me, ierr)
		call both('MPI_Comm_rank')
		call mpi_comm_size(comm, many, ierr)
		call both('MPI_Comm_size')
		next = mod(me + 1, many)
		last = mod(me + many - 1, many)
		call mpi_sendrecv(rank, 1, MPI_INTEGER, next, many, got, 1, MPI_INTEGER, last, many, comm, &
			MPI_STATUS_IGNORE, ierr)
		call enter('MPI_Sendrecv')
		call message('send to', next, many, name, 4)
		call leave('MPI_Sendrecv')
		call message('recv from', last, many, name, 4)
		call mpi_allreduce(MPI_IN_PLACE, got, 1, MPI_INTEGER, MPI_SUM, comm, ierr)
		call collective('MPI_Allreduce', name, no_root, 4 * (many - 1), 4 * (many - 1))
		print *, name, me, many, got
	end subroutine
end module

! A file, what was read from it and written, and the lines of what was done with it
module file_lines
	USE_MPI
	use expect
	implicit none
	private
	INCLUDE_MPI
	integer, parameter, public :: n = 10
	integer, parameter, public :: bytes = 4 * n
	integer, asynchronous, public :: mine(n), got(n)
	character(len=4000), public :: path
	public :: begins, does, ends, fill, moves, place
contains
	! A call and what it did with the file
	subroutine does(name, what, how)
		character(len=*), intent(in) :: name, what, how

		call both(name)
		call line('  io ' // what // ' file=' // trim(path) // how)
	end subroutine

	! One that moved all it was asked to; offset -1: none is known
	subroutine moves(name, what, how, offset)
		character(len=*), intent(in) :: name, what, how
		integer(kind=MPI_OFFSET_KIND), intent(in) :: offset

		begun = begun + 1
		call does(name, what, ' how=' // how // place(offset) // ' bytes=' // digits(bytes) // &
			' done=' // digits(bytes))
	end subroutine

	! One that has only begun
	subroutine begins(name, what, how, offset)
		character(len=*), intent(in) :: name, what, how
		integer(kind=MPI_OFFSET_KIND), intent(in) :: offset

		call does(name, what, ' how=' // how // place(offset) // ' bytes=' // digits(bytes) // &
			' request=0.' // digits(new_request()))
	end subroutine

	! The last of them is complete
	subroutine ends(name)
		character(len=*), intent(in) :: name

		call does(name, 'done', ' request=0.' // digits(begun) // ' bytes=' // digits(bytes))
	end subroutine

	function place(offset) result(text)
		integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
		character(len=:), allocatable :: text

		text = ''
		if (offset >= 0) text = ' offset=' // digits(int(offset))
	end function

	subroutine fill(first)
		integer, intent(in) :: first

		mine = first + rank
		got = -1
	end subroutine
end module

! The lines of what was done with a window, between two ranks
module window_lines
	use expect
	implicit none
	integer :: other
contains
	! A call and what it did with the window
	subroutine does(name, what, window)
		character(len=*), intent(in) :: name, what, window

		call both(name)
		call line('  rma ' // what // ' win=' // window)
	end subroutine

	subroutine to(name, what, window, more)
		character(len=*), intent(in) :: name, what, window, more

		call does(name, what, window // ' target=' // digits(other) // more)
	end subroutine
end module

! An error handler of each kind
module error_handlers
	USE_MPI
	implicit none
	private
	INCLUDE_MPI
	integer, public :: errors = 0
	public :: file_failed, win_failed
contains
	subroutine win_failed(win, code)
		WIN_T :: win
		integer :: code

		errors = errors + 1
	end subroutine

	subroutine file_failed(file, code)
		FILE_T :: file
		integer :: code

		errors = errors + 1
	end subroutine
end module
