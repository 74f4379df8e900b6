! SPDX-License-Identifier: BSD-3-Clause
! The messages that basics and requests leave out: ready, buffered and persistent ones of each kind, probing, packed data,
! both ways at once without blocking, in parts, and with large counts where the MPI has them. Two ranks.
#include "binding.h"

! Where others may write to
module buffers
	implicit none
	integer, asynchronous :: mine(8), got(8)
end module

program messages
	USE_MPI
	use expect
	use buffers
	use job
	implicit none
	INCLUDE_MPI
	character(len=*), parameter :: world = 'MPI_COMM_WORLD'
	integer, asynchronous, save :: room(1000)
	integer :: ierr, other

	call begin_job()
	other = 1 - rank
	mine = rank
	call mpi_buffer_attach(room, 4000, ierr)
	call both('MPI_Buffer_attach')
	call ready()
	call buffered()
	call persistent()
	call probed()
	call packed()
	call both_ways()
	call in_parts()
	call large()
	call detach()
	call end_job()
contains
	subroutine irecv(tag, request, number)
		integer, intent(in) :: tag
		REQUEST_T, intent(out) :: request
		integer, intent(out) :: number

		call mpi_irecv(got, 8, MPI_INTEGER, other, tag, MPI_COMM_WORLD, request, ierr)
		call irecvs('MPI_Irecv', number)
	end subroutine

	! A receive has its message, of so many integers.
	subroutine wait_for(from, tag, count, number)
		REQUEST_T, intent(inout) :: from
		integer, intent(in) :: tag, count, number

		call mpi_wait(from, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Wait')
		call received(other, tag, world, 4 * count, number)
		CHECK(got(1) == other)
	end subroutine

	subroutine wait_sent(to, number)
		REQUEST_T, intent(inout) :: to
		integer, intent(in) :: number

		call mpi_wait(to, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Wait')
		call request('sent', number)
	end subroutine

	subroutine ready()
		REQUEST_T :: from, to
		integer :: r, s

		call irecv(1, from, r)
		call meet()
		call mpi_rsend(mine, 3, MPI_INTEGER, other, 1, MPI_COMM_WORLD, ierr)
		call sends('MPI_Rsend', other, 1, world, 12)
		call wait_for(from, 1, 3, r)
		call irecv(2, from, r)
		call meet()
		call mpi_irsend(mine, 2, MPI_INTEGER, other, 2, MPI_COMM_WORLD, to, ierr)
		call isends('MPI_Irsend', other, 2, world, 8, s)
		call wait_for(from, 2, 2, r)
		call wait_sent(to, s)
	end subroutine

	subroutine buffered()
		REQUEST_T :: from, to
		integer :: r, s

		call mpi_ibsend(mine, 4, MPI_INTEGER, other, 3, MPI_COMM_WORLD, to, ierr)
		call isends('MPI_Ibsend', other, 3, world, 16, s)
		call irecv(3, from, r)
		call wait_for(from, 3, 4, r)
		call wait_sent(to, s)
	end subroutine

	! A persistent send, begun twice; a ready one when the receive is there
	subroutine twice(to, tag)
		REQUEST_T, intent(inout) :: to
		integer, intent(in) :: tag
		REQUEST_T :: from
		integer :: turn, r, s

		do turn = 1, 2
			call irecv(tag, from, r)
			call meet()
			call mpi_start(to, ierr)
			call enter('MPI_Start')
			call begins_send(other, tag, world, 8, s)
			call leave('MPI_Start')
			call wait_for(from, tag, 2, r)
			call wait_sent(to, s)
		end do
		call mpi_request_free(to, ierr)
		call both('MPI_Request_free')
	end subroutine

	subroutine persistent()
		REQUEST_T :: to

		call mpi_bsend_init(mine, 2, MPI_INTEGER, other, 4, MPI_COMM_WORLD, to, ierr)
		call both('MPI_Bsend_init')
		call twice(to, 4)
		call mpi_rsend_init(mine, 2, MPI_INTEGER, other, 5, MPI_COMM_WORLD, to, ierr)
		call both('MPI_Rsend_init')
		call twice(to, 5)
		call mpi_send_init(mine, 2, MPI_INTEGER, other, 6, MPI_COMM_WORLD, to, ierr)
		call both('MPI_Send_init')
		call twice(to, 6)
	end subroutine

	subroutine probed()
		STATUS_T(status)
		logical :: flag
		integer :: i

		do i = 1, 3
			call mpi_iprobe(other, 7, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierr)
			CHECK(.not. flag)
		end do
		call polls('MPI_Iprobe', 3)
		call meet()
		call mpi_send(mine, 5, MPI_INTEGER, other, 7, MPI_COMM_WORLD, ierr)
		call sends('MPI_Send', other, 7, world, 20)
		call mpi_probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
		call both('MPI_Probe')
		CHECK(SOURCE_OF(status) == other .and. TAG_OF(status) == 7)
		call mpi_iprobe(other, 7, MPI_COMM_WORLD, flag, status, ierr)
		call both('MPI_Iprobe')
		CHECK(flag)
		call mpi_recv(got, 8, MPI_INTEGER, other, 7, MPI_COMM_WORLD, status, ierr)
		call receives('MPI_Recv', other, 7, world, 20)
	end subroutine

	! Bytes are counted as they are packed.
	subroutine packed()
		integer :: at, to(16), from(16), values(3)
		double precision :: number
		STATUS_T(status)

		at = 0
		values = [rank, 2, 3]
		number = 0.5
		call mpi_pack(values, 3, MPI_INTEGER, to, 64, at, MPI_COMM_WORLD, ierr)
		call both('MPI_Pack')
		call mpi_pack(number, 1, MPI_DOUBLE_PRECISION, to, 64, at, MPI_COMM_WORLD, ierr)
		call both('MPI_Pack')
		call mpi_sendrecv(to, at, MPI_PACKED, other, 8, from, 64, MPI_PACKED, other, 8, MPI_COMM_WORLD, status, ierr)
		call enter('MPI_Sendrecv')
		call message('send to', other, 8, world, at)
		call leave('MPI_Sendrecv')
		call message('recv from', other, 8, world, at)
		at = 0
		number = 0
		call mpi_unpack(from, 64, at, values, 3, MPI_INTEGER, MPI_COMM_WORLD, ierr)
		call both('MPI_Unpack')
		call mpi_unpack(from, 64, at, number, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
		call both('MPI_Unpack')
		CHECK(all(values == [other, 2, 3]) .and. number == 0.5)
	end subroutine

#if defined(HAVE_MPI_Isendrecv)
	subroutine both_ways()
		REQUEST_T :: whole
		integer :: s, r

		call mpi_isendrecv(mine, 2, MPI_INTEGER, other, 9, got, 2, MPI_INTEGER, other, 9, MPI_COMM_WORLD, whole, ierr)
		call started_both('MPI_Isendrecv', 9, 8, s, r)
		call complete_both(whole, 9, 8, s, r)
		CHECK(got(1) == other)
		got = rank
		call mpi_isendrecv_replace(got, 3, MPI_INTEGER, other, 10, other, 10, MPI_COMM_WORLD, whole, ierr)
		call started_both('MPI_Isendrecv_replace', 10, 12, s, r)
		call complete_both(whole, 10, 12, s, r)
		CHECK(got(1) == other)
	end subroutine

	subroutine started_both(name, tag, bytes, s, r)
		character(len=*), intent(in) :: name
		integer, intent(in) :: tag, bytes
		integer, intent(out) :: s, r

		call enter(name)
		call begins_send(other, tag, world, bytes, s)
		call leave(name)
		call begins_recv(r)
	end subroutine

	subroutine complete_both(whole, tag, bytes, s, r)
		REQUEST_T, intent(inout) :: whole
		integer, intent(in) :: tag, bytes, s, r
		STATUS_T(status)
		integer :: came

		call mpi_wait(whole, status, ierr)
		call both('MPI_Wait')
		call request('sent', s)
		call mpi_get_count(status, MPI_INTEGER, came, ierr)
		! MPICH leaves this status as its memory was
		if (SOURCE_OF(status) == other .and. TAG_OF(status) == tag .and. 4 * came == bytes) then
			call received(other, tag, world, bytes, r)
		else
			call received(other, tag, world, not_known, r)
		end if
		call both('MPI_Get_count')
	end subroutine
#else
	subroutine both_ways()
	end subroutine
#endif

! Open MPI 5.0 has it in mpi_f08 without the argument info.
#if defined(HAVE_MPI_Psend_init) && !(defined(ON_openmpi) && defined(BINDING_f08))
	subroutine in_parts()
		integer(kind=MPI_COUNT_KIND) :: part
		REQUEST_T :: list(2)
		integer :: s, r

		part = 2
		call mpi_psend_init(mine, 4, part, MPI_INTEGER, other, 11, MPI_COMM_WORLD, MPI_INFO_NULL, list(1), ierr)
		call both('MPI_Psend_init')
		call mpi_precv_init(got, 4, part, MPI_INTEGER, other, 11, MPI_COMM_WORLD, MPI_INFO_NULL, list(2), ierr)
		call both('MPI_Precv_init')
		call mpi_start(list(2), ierr)
		call both('MPI_Start')
		call begins_recv(r)
		call mpi_start(list(1), ierr)
		call enter('MPI_Start')
		s = new_request()
		call line('  send to=' // in_parts_is(s))
		call leave('MPI_Start')
		call mpi_pready_range(1, 2, list(1), ierr)
		call both('MPI_Pready_range')
		call mpi_pready_list(1, [3], list(1), ierr)
		call both('MPI_Pready_list')
		call mpi_pready(0, list(1), ierr)
		call both('MPI_Pready')
#if !defined(BINDING_mpi)	/* MPICH 4.0 wants an integer there */
		call arrived(list(2))
#endif
		call mpi_waitall(2, list, MPI_STATUSES_IGNORE, ierr)
		call enter('MPI_Waitall')
		call request('sent', s)
		call line('  recv from=' // in_parts_is(r))
		call leave('MPI_Waitall')
		CHECK(got(8) == other)
		call mpi_request_free(list(1), ierr)
		call both('MPI_Request_free')
		call mpi_request_free(list(2), ierr)
		call both('MPI_Request_free')
	end subroutine

	function in_parts_is(number) result(text)
		integer, intent(in) :: number
		character(len=:), allocatable :: text

		text = digits(other) // ' tag=11 comm=' // world // ' bytes=32 request=0.' // digits(number) // ' partitioned'
	end function

#if !defined(BINDING_mpi)
	! How often it is asked in vain is chance; it makes one row.
	subroutine arrived(from)
		REQUEST_T, intent(in) :: from
		logical :: flag
		integer :: i

		do i = 0, huge(i)
			call mpi_parrived(from, 2, flag, ierr)
			if (flag) exit
		end do
		if (i > 0) call polls('MPI_Parrived', i)
		call both('MPI_Parrived')
	end subroutine
#endif
#else
	subroutine in_parts()
	end subroutine
#endif

	! mpi_f08 takes large counts in functions of the same name.
#if defined(HAVE_MPI_Send_c) && defined(BINDING_f08)
	subroutine large()
		integer(kind=MPI_COUNT_KIND) :: count, seen, part
		MESSAGE_T :: found
		REQUEST_T :: from, to
		STATUS_T(status)
		integer :: r, s

		count = 8
		part = 2
		call mpi_irecv(got, count, MPI_INTEGER, other, 12, MPI_COMM_WORLD, from, ierr)
		call irecvs('MPI_Irecv_c', r)
		call mpi_isend(mine, part, MPI_INTEGER, other, 12, MPI_COMM_WORLD, to, ierr)
		call isends('MPI_Isend_c', other, 12, world, 8, s)
		call wait_for(from, 12, 2, r)
		call wait_sent(to, s)
		call mpi_send(mine, part, MPI_INTEGER, other, 13, MPI_COMM_WORLD, ierr)
		call sends('MPI_Send_c', other, 13, world, 8)
		call mpi_recv(got, count, MPI_INTEGER, other, 13, MPI_COMM_WORLD, status, ierr)
		call receives('MPI_Recv_c', other, 13, world, 8)
		call mpi_get_count(status, MPI_INTEGER, seen, ierr)
		call both('MPI_Get_count_c')
		CHECK(seen == 2)
		call mpi_send(mine, part, MPI_INTEGER, other, 14, MPI_COMM_WORLD, ierr)
		call sends('MPI_Send_c', other, 14, world, 8)
		call mpi_mprobe(other, 14, MPI_COMM_WORLD, found, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Mprobe')
		call mpi_mrecv(got, count, MPI_INTEGER, found, MPI_STATUS_IGNORE, ierr)
		call receives('MPI_Mrecv_c', other, 14, world, 8)
		call mpi_sendrecv(mine, part, MPI_INTEGER, other, 15, got, count, MPI_INTEGER, other, 15, MPI_COMM_WORLD, &
			MPI_STATUS_IGNORE, ierr)
		call enter('MPI_Sendrecv_c')
		call message('send to', other, 15, world, 8)
		call leave('MPI_Sendrecv_c')
		call message('recv from', other, 15, world, 8)
		call mpi_send_init(mine, part, MPI_INTEGER, other, 16, MPI_COMM_WORLD, to, ierr)
		call both('MPI_Send_init_c')
		call twice(to, 16)
		call large_together(part)
	end subroutine

	subroutine large_together(part)
		integer(kind=MPI_COUNT_KIND), intent(in) :: part
		integer(kind=MPI_COUNT_KIND) :: counts(2)
		integer(kind=MPI_ADDRESS_KIND) :: places(2)
		REQUEST_T :: handle
		integer :: number

		counts = 1
		places = [0, 1]
		got = mine
		call mpi_bcast(got, part, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
		call collective('MPI_Bcast_c', world, 0, merge(16, 0, rank == 0), 8)
		CHECK(got(1) == 0)
		call mpi_allreduce(mine, got, part, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
		call collective('MPI_Allreduce_c', world, no_root, 16, 16)
		call mpi_alltoallv(mine, counts, places, MPI_INTEGER, got, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierr)
		call collective('MPI_Alltoallv_c', world, no_root, 8, 8)
		call mpi_allgatherv(mine, counts(1), MPI_INTEGER, got, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierr)
		call collective('MPI_Allgatherv_c', world, no_root, 8, 8)
		CHECK(all(got(:2) == [0, 1]))
		call mpi_iallreduce(MPI_IN_PLACE, got, part, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, handle, ierr)
		call icolls('MPI_Iallreduce_c', 'allreduce', world, number)
		call mpi_wait(handle, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Wait')
		call operated('allreduce', world, no_root, 8, 8, number)
		call mpi_bcast_init(got, part, MPI_INTEGER, 1, MPI_COMM_WORLD, MPI_INFO_NULL, handle, ierr)
		call both('MPI_Bcast_init_c')
		call mpi_start(handle, ierr)
		call both('MPI_Start')
		call begins_coll('bcast', world, number)
		call mpi_wait(handle, MPI_STATUS_IGNORE, ierr)
		call both('MPI_Wait')
		call operated('bcast', world, 1, merge(16, 0, rank == 1), 8, number)
		call mpi_request_free(handle, ierr)
		call both('MPI_Request_free')
	end subroutine
#else
	subroutine large()
	end subroutine
#endif

	subroutine detach()
		use, intrinsic :: iso_c_binding, only: c_ptr
		integer :: bytes
#if defined(BINDING_f08)
		type(c_ptr) :: address
#elif defined(BINDING_mpi)
		integer(kind=MPI_ADDRESS_KIND) :: address(2)
#else
		integer(kind=MPI_ADDRESS_KIND) :: address
#endif

		call mpi_buffer_detach(address, bytes, ierr)
		call both('MPI_Buffer_detach')
		CHECK(bytes == 4000)
	end subroutine
end program
