! SPDX-License-Identifier: BSD-3-Clause
! A Fortran program writes down what it does, in the words of `hybmon-print --no-times`; see expect.h. Each
! subroutine here is called after the MPI call that it stands for.
module expect
	implicit none
	integer, parameter :: no_root = -1
	integer, parameter :: not_known = -1	! bytes
	integer :: rank = 0
	integer :: begun = 0
	logical :: on = .false.
contains
	! apart: into a folder of its own beside that of the others, so that ranks of several jobs keep apart
	subroutine expect_open(apart)
		character(len=*), intent(in), optional :: apart
		character(len=4096) :: dir, number
		integer :: length, i
		character(len=20), parameter :: names(2) = [ character(len=20) :: &
			'OMPI_COMM_WORLD_RANK', 'PMI_RANK' ]

		do i = 1, 2
			call get_environment_variable(trim(names(i)), number, length)
			if (length > 0) read (number(:length), *) rank
		end do
		call get_environment_variable('TEST_EXPECT', dir, length)
		on = length > 0
		if (on .and. present(apart)) then
			dir = dir(:length) // '/../expect-' // apart
			length = len_trim(dir)
			call execute_command_line('mkdir -p ' // dir(:length))
		end if
		if (on) open (unit=33, file=dir(:length) // '/' // digits(rank) // '.0', status='replace')
	end subroutine

	function digits(n) result(text)
		integer, intent(in) :: n
		character(len=:), allocatable :: text
		character(len=12) :: room

		write (room, '(i0)') n
		text = trim(room)
	end function

	! Numbers with commas between them, or - where there are none
	function list(numbers) result(text)
		integer, intent(in) :: numbers(:)
		character(len=:), allocatable :: text
		integer :: i

		text = '-'
		if (size(numbers) > 0) text = digits(numbers(1))
		do i = 2, size(numbers)
			text = text // ',' // digits(numbers(i))
		end do
	end function

	function capital(name) result(text)
		character(len=*), intent(in) :: name
		character(len=len(name)) :: text

		text = achar(iachar(name(1:1)) - 32) // name(2:)
	end function

	subroutine line(text)
		character(len=*), intent(in) :: text

		if (.not. on) return
		write (33, '(a)') digits(rank) // '.0 ' // text
		flush (33)
	end subroutine

	subroutine enter(name)
		character(len=*), intent(in) :: name

		call line('enter ' // name)
	end subroutine

	subroutine leave(name)
		character(len=*), intent(in) :: name

		call line('leave ' // name)
	end subroutine

	subroutine both(name)
		character(len=*), intent(in) :: name

		call enter(name)
		call leave(name)
	end subroutine

	subroutine message(what, peer, tag, comm, bytes, number)
		character(len=*), intent(in) :: what, comm
		integer, intent(in) :: peer, tag, bytes
		integer, intent(in), optional :: number
		character(len=:), allocatable :: text, size

		size = '?'
		if (bytes /= not_known) size = digits(bytes)
		text = '  ' // what // '=' // digits(peer) // ' tag=' // digits(tag) // ' comm=' // comm // &
			' bytes=' // size
		if (present(number)) text = text // ' request=0.' // digits(number)
		call line(text)
	end subroutine

	subroutine sends(name, peer, tag, comm, bytes)
		character(len=*), intent(in) :: name, comm
		integer, intent(in) :: peer, tag, bytes

		call enter(name)
		call message('send to', peer, tag, comm, bytes)
		call leave(name)
	end subroutine

	subroutine receives(name, peer, tag, comm, bytes)
		character(len=*), intent(in) :: name, comm
		integer, intent(in) :: peer, tag, bytes

		call both(name)
		call message('recv from', peer, tag, comm, bytes)
	end subroutine

	subroutine collective(name, comm, root, sent, received)
		character(len=*), intent(in) :: name, comm
		integer, intent(in) :: root, sent, received

		call both(name)
		call line('  coll' // moved(comm, root, sent, received))
	end subroutine

	function moved(comm, root, sent, received) result(text)
		character(len=*), intent(in) :: comm
		integer, intent(in) :: root, sent, received
		character(len=:), allocatable :: text

		text = ' comm=' // comm
		if (root /= no_root) text = text // ' root=' // digits(root)
		text = text // ' sent=' // digits(sent) // ' received=' // digits(received)
	end function

	! The numbers of a thread's requests are given out in the order in which they begin.
	integer function new_request()
		begun = begun + 1
		new_request = begun
	end function

	subroutine request(what, number)
		character(len=*), intent(in) :: what
		integer, intent(in) :: number

		call line('  ' // what // ' request=0.' // digits(number))
	end subroutine

	! The lines of operations that do not block, as they begin
	subroutine begins_send(to, tag, comm, bytes, number)
		integer, intent(in) :: to, tag, bytes
		character(len=*), intent(in) :: comm
		integer, intent(out) :: number

		number = new_request()
		call message('send to', to, tag, comm, bytes, number)
	end subroutine

	subroutine begins_recv(number)
		integer, intent(out) :: number

		number = new_request()
		call request('irecv', number)
	end subroutine

	subroutine begins_coll(what, comm, number)
		character(len=*), intent(in) :: what, comm
		integer, intent(out) :: number

		number = new_request()
		call line('  icoll ' // what // ' comm=' // comm // ' request=0.' // digits(number))
	end subroutine

	! and as they are complete
	subroutine received(from, tag, comm, bytes, number)
		integer, intent(in) :: from, tag, bytes, number
		character(len=*), intent(in) :: comm

		call message('recv from', from, tag, comm, bytes, number)
	end subroutine

	subroutine operated(what, comm, root, sent, received, number)
		character(len=*), intent(in) :: what, comm
		integer, intent(in) :: root, sent, received, number

		call line('  coll ' // what // moved(comm, root, sent, received) // ' request=0.' // &
			digits(number))
	end subroutine

	! Whole calls that begin one
	subroutine isends(name, to, tag, comm, bytes, number)
		character(len=*), intent(in) :: name, comm
		integer, intent(in) :: to, tag, bytes
		integer, intent(out) :: number

		call enter(name)
		call begins_send(to, tag, comm, bytes, number)
		call leave(name)
	end subroutine

	subroutine irecvs(name, number)
		character(len=*), intent(in) :: name
		integer, intent(out) :: number

		call both(name)
		call begins_recv(number)
	end subroutine

	subroutine icolls(name, what, comm, number)
		character(len=*), intent(in) :: name, what, comm
		integer, intent(out) :: number

		call both(name)
		call begins_coll(what, comm, number)
	end subroutine

	! So many calls, one after the other from one place, found nothing.
	subroutine polls(name, count)
		character(len=*), intent(in) :: name
		integer, intent(in) :: count

		call line('poll ' // name // ' count=' // digits(count))
	end subroutine

	! The same of calls that had nothing to find or to do.
	subroutine folded(name, count, how)
		character(len=*), intent(in) :: name, how
		integer, intent(in) :: count

		call line('poll ' // name // ' count=' // digits(count) // ' ' // how)
	end subroutine

	subroutine failed(name, code)
		character(len=*), intent(in) :: name
		integer, intent(in) :: code

		call both(name)
		call line('  error code=' // digits(code))
	end subroutine

	! A program's own check: what must hold with and without the library
	subroutine check(so, at)
		logical, intent(in) :: so
		integer, intent(in) :: at

		if (so) return
		print *, 'not so: line ', at
		error stop
	end subroutine
end module
