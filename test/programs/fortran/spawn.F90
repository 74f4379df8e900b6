! SPDX-License-Identifier: BSD-3-Clause
! Starts processes from Fortran: `spawn ours` two of them by MPI_Comm_spawn, `spawn several` one of each of two commands
! by MPI_Comm_spawn_multiple; talks to them across, and over what is made of it. `spawn child NAME` is such a child. See
! spawn.c.
#include "binding.h"

program spawn
	USE_MPI
	use expect
	implicit none
	INCLUDE_MPI
	character(len=4096) :: self
	character(len=32) :: how, of
	COMM_T :: inter
	integer :: ierr
	logical :: child

	call get_command_argument(0, self)
	call get_command_argument(1, how)
	call get_command_argument(2, of)
	child = how == 'child'
	if (child) then
		call expect_open(trim(of))
	else
		call expect_open()
		of = how
	end if
	call mpi_init(ierr)
	call both('MPI_Init')
	if (child) then
		call mpi_comm_get_parent(inter, ierr)
		call both('MPI_Comm_get_parent')
		CHECK(inter /= MPI_COMM_NULL)
	else if (how == 'several') then
		call start_several()
	else
		call start_two()
	end if
	call talk()
	call mpi_comm_disconnect(inter, ierr)
	call both('MPI_Comm_disconnect')
	if (.not. child) print *, 'done'
	call mpi_finalize(ierr)
	call both('MPI_Finalize')
contains
	! Arrays of strings, and none where the codes could go
	subroutine start_two()
		character(len=16) :: arguments(3)

		arguments = [character(len=16) :: 'child', 'ours', '']
		call mpi_comm_spawn(self, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter, MPI_ERRCODES_IGNORE, ierr)
		call both('MPI_Comm_spawn')
		CHECK(ierr == MPI_SUCCESS)
	end subroutine

	subroutine start_several()
		character(len=16) :: arguments(2, 3)
		character(len=4096) :: commands(2)
		integer :: counts(2), codes(2)
		INFO_T :: infos(2)

		commands = self
		arguments(1, :) = [character(len=16) :: 'child', 'several', '']
		arguments(2, :) = arguments(1, :)
		counts = 1
		infos = MPI_INFO_NULL
		call mpi_comm_spawn_multiple(2, commands, arguments, counts, infos, 0, MPI_COMM_WORLD, inter, codes, ierr)
		call both('MPI_Comm_spawn_multiple')
		CHECK(ierr == MPI_SUCCESS)
	end subroutine

	! Every pair across exchanges a message; then all are one.
	subroutine talk()
		character(len=:), allocatable :: name
		COMM_T :: all
		integer :: me, many, n, value, i, next, last

		name = '"' // trim(of) // ' across"'
		call mpi_comm_set_name(inter, trim(of) // ' across', ierr)
		call both('MPI_Comm_set_name')
		call mpi_comm_rank(inter, me, ierr)
		call both('MPI_Comm_rank')
		call mpi_comm_remote_size(inter, many, ierr)
		call both('MPI_Comm_remote_size')
		do i = 0, many - 1
			value = me
			if (child) then
				call mpi_recv(value, 1, MPI_INTEGER, i, 5, inter, MPI_STATUS_IGNORE, ierr)
				call receives('MPI_Recv', i, 5, name, 4)
			else
				call mpi_send(value, 1, MPI_INTEGER, i, 5, inter, ierr)
				call sends('MPI_Send', i, 5, name, 4)
			end if
		end do
		call mpi_intercomm_merge(inter, child, all, ierr)
		call both('MPI_Intercomm_merge')
		name = '"' // trim(of) // ' merged"'
		call mpi_comm_set_name(all, trim(of) // ' merged', ierr)
		call both('MPI_Comm_set_name')
		call mpi_comm_rank(all, me, ierr)
		call both('MPI_Comm_rank')
		call mpi_comm_size(all, n, ierr)
		call both('MPI_Comm_size')
		next = mod(me + 1, n)
		last = mod(me + n - 1, n)
		call mpi_sendrecv(me, 1, MPI_INTEGER, next, 9, value, 1, MPI_INTEGER, last, 9, all, MPI_STATUS_IGNORE, ierr)
		call enter('MPI_Sendrecv')
		call message('send to', next, 9, name, 4)
		call leave('MPI_Sendrecv')
		call message('recv from', last, 9, name, 4)
		CHECK(value == last)
		call mpi_comm_free(all, ierr)
		call both('MPI_Comm_free')
	end subroutine
end program
