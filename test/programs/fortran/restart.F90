! SPDX-License-Identifier: BSD-3-Clause
! Persistent sends that are started again before their last message has left, also while recording is paused: some
! MPIs then give the request another handle. See restart.c, which does the same in C.
#include "binding.h"

module buffers
	use, intrinsic :: iso_c_binding, only: c_int
	implicit none
	integer, parameter :: long = 65536
	integer, asynchronous :: mine(long), got(long)
	character, asynchronous :: space(14 * (4 * long + 1000))
	interface
		subroutine c_pcontrol(level) bind(c)
			import c_int
			integer(c_int), value :: level
		end subroutine
	end interface
end module

program restart
	USE_MPI
	use expect
	use buffers
	implicit none
	INCLUDE_MPI
	character(len=*), parameter :: world = 'MPI_COMM_WORLD'
	integer, parameter :: tag = 31
	REQUEST_T :: pair(2)
	integer :: ierr, other, i, k

	call expect_open()
	call mpi_init(ierr)
	call both('MPI_Init')
	other = 1 - rank
	mine = rank
	call mpi_buffer_attach(space, size(space), ierr)
	call both('MPI_Buffer_attach')
	do k = 1, 2
		call mpi_bsend_init(mine, long, MPI_INTEGER, other, tag + k, MPI_COMM_WORLD, pair(k), ierr)
		call both('MPI_Bsend_init')
	end do
	call start(.true.)
	call start(.true.)
	call pause_recording()
	call mpi_startall(2, pair, ierr)
	call mpi_waitall(2, pair, MPI_STATUSES_IGNORE, ierr)
	do k = 1, 2
		call mpi_start(pair(k), ierr)
		call mpi_wait(pair(k), MPI_STATUS_IGNORE, ierr)
	end do
	call resume_recording()
	call start(.false.)
	call start(.true.)

	call receive()
	call receive()
	call pause_recording()
	do i = 1, 2
		do k = 1, 2
			call mpi_recv(got, long, MPI_INTEGER, other, tag + k, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
		end do
	end do
	call resume_recording()
	call receive()
	call receive()
	do k = 1, 2
		call mpi_request_free(pair(k), ierr)
		call both('MPI_Request_free')
	end do
	call mpi_finalize(ierr)
	call both('MPI_Finalize')
contains
	subroutine pause_recording()
		call c_pcontrol(0)
		call both('MPI_Pcontrol')
		call line('recording off')
	end subroutine

	subroutine resume_recording()
		call line('recording on')
		call c_pcontrol(1)
		call both('MPI_Pcontrol')
	end subroutine

	subroutine start(all)
		logical, intent(in) :: all
		integer :: number(2), k

		if (all) then
			call mpi_startall(2, pair, ierr)
			call enter('MPI_Startall')
			do k = 1, 2
				call begins_send(other, tag + k, world, 4 * long, number(k))
			end do
			call leave('MPI_Startall')
		else
			do k = 1, 2
				call mpi_start(pair(k), ierr)
				call enter('MPI_Start')
				call begins_send(other, tag + k, world, 4 * long, number(k))
				call leave('MPI_Start')
			end do
		end if
		call mpi_waitall(2, pair, MPI_STATUSES_IGNORE, ierr)
		call enter('MPI_Waitall')
		do k = 1, 2
			call request('sent', number(k))
		end do
		call leave('MPI_Waitall')
	end subroutine

	subroutine receive()
		integer :: k

		do k = 1, 2
			call mpi_recv(got, long, MPI_INTEGER, other, tag + k, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
			call receives('MPI_Recv', other, tag + k, world, 4 * long)
			CHECK(got(long) == other)
		end do
	end subroutine
end program
