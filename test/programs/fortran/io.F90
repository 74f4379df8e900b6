! SPDX-License-Identifier: BSD-3-Clause
! Files through MPI from Fortran: handles, offsets and statuses of each kind are seen as from C. See io.c. The argument
! is the file.
#include "binding.h"

program io
	USE_MPI
	use expect
	use file_lines
	use job
	implicit none
	INCLUDE_MPI
	character(len=*), parameter :: world = 'MPI_COMM_WORLD'
	FILE_T :: file
	integer(kind=MPI_OFFSET_KIND) :: at
	integer :: ierr

	call get_command_argument(1, path)
	call begin_job()
	! before it is opened there may be anything
	FILE_NUMBER(file) = 12345
	call mpi_file_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, ierr)
	CHECK(ierr == MPI_SUCCESS)
	call does('MPI_File_open', 'open', ' comm=' // world // ' mode=rdwr|create')
	at = bytes * rank
	call explicit_offsets()
	call individual()
	call shared()
	call split()
	call nonblocking()
	call views()
	call failures()
	call mpi_file_close(file, ierr)
	CHECK(file == MPI_FILE_NULL)
	call does('MPI_File_close', 'close', '')
	call meet()
	if (rank == 0) then
		call mpi_file_delete(path, MPI_INFO_NULL, ierr)
		call does('MPI_File_delete', 'delete', '')
	end if
	call end_job()
contains
	subroutine explicit_offsets()
		STATUS_T(status)
		integer :: count

		call fill(100)
		call mpi_file_write_at(file, at, mine, n, MPI_INTEGER, status, ierr)
		call moves('MPI_File_write_at', 'write', 'explicit', at)
		call mpi_get_count(status, MPI_INTEGER, count, ierr)
		call both('MPI_Get_count')
		CHECK(count == n)
		call mpi_file_read_at(file, at, got, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
		call moves('MPI_File_read_at', 'read', 'explicit', at)
		CHECK(all(got == mine))
		call mpi_file_write_at_all(file, at, mine, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
		call moves('MPI_File_write_at_all', 'write', 'collective|explicit', at)
		call mpi_file_sync(file, ierr)
		begun = begun + 1
		call does('MPI_File_sync', 'flush', ' how=collective bytes=0 done=0')
	end subroutine

	subroutine individual()
		call fill(200)
		call mpi_file_seek(file, at, MPI_SEEK_SET, ierr)
		call does('MPI_File_seek', 'seek', place(at) // ' from=start reached=' // digits(int(at)))
		call mpi_file_write(file, mine, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
		call moves('MPI_File_write', 'write', '-', at)
		call mpi_file_seek(file, at, MPI_SEEK_SET, ierr)
		call does('MPI_File_seek', 'seek', place(at) // ' from=start reached=' // digits(int(at)))
		call mpi_file_read_all(file, got, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
		call moves('MPI_File_read_all', 'read', 'collective', at)
		CHECK(all(got == mine))
	end subroutine

	subroutine shared()
		call mpi_file_write_ordered(file, mine, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
		call moves('MPI_File_write_ordered', 'write', 'collective|shared', -1_MPI_OFFSET_KIND)
		call mpi_file_seek_shared(file, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
		call does('MPI_File_seek_shared', 'seek', ' offset=0 from=start shared reached=0')
		call meet()
		call mpi_file_read_shared(file, got, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
		call moves('MPI_File_read_shared', 'read', 'shared', -1_MPI_OFFSET_KIND)
	end subroutine

	subroutine split()
		STATUS_T(status)

		call fill(300)
		call mpi_file_write_at_all_begin(file, at, mine, n, MPI_INTEGER, ierr)
		call begins('MPI_File_write_at_all_begin', 'write', 'collective|split|explicit', at)
		call mpi_file_write_at_all_end(file, mine, MPI_STATUS_IGNORE, ierr)
		call ends('MPI_File_write_at_all_end')
		call mpi_file_read_at_all_begin(file, at, got, n, MPI_INTEGER, ierr)
		call begins('MPI_File_read_at_all_begin', 'read', 'collective|split|explicit', at)
		call mpi_file_read_at_all_end(file, got, status, ierr)
		call ends('MPI_File_read_at_all_end')
		CHECK(all(got == mine))
	end subroutine

	subroutine nonblocking()
		REQUEST_T :: request, two(2)
		STATUSES_T(statuses, 2)
		integer :: one

		call fill(400)
		call mpi_file_iwrite_at(file, at, mine, n, MPI_INTEGER, request, ierr)
		call begins('MPI_File_iwrite_at', 'write', 'non-blocking|explicit', at)
		call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
		call ends('MPI_Wait')
		CHECK(request == MPI_REQUEST_NULL)
		call mpi_file_iread_at(file, at, got, n, MPI_INTEGER, two(1), ierr)
		call begins('MPI_File_iread_at', 'read', 'non-blocking|explicit', at)
		one = begun
		call mpi_file_iwrite_at(file, at + 1000, mine, n, MPI_INTEGER, two(2), ierr)
		call begins('MPI_File_iwrite_at', 'write', 'non-blocking|explicit', at + 1000)
		call mpi_waitall(2, two, statuses, ierr)
		call enter('MPI_Waitall')
		call line('  io done file=' // trim(path) // ' request=0.' // digits(one) // ' bytes=' // digits(bytes))
		call line('  io done file=' // trim(path) // ' request=0.' // digits(begun) // ' bytes=' // digits(bytes))
		call leave('MPI_Waitall')
		CHECK(all(got == mine))
	end subroutine

	! Offsets count the view's elementary types.
	subroutine views()
		call mpi_file_set_view(file, 8_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, ierr)
		call does('MPI_File_set_view', 'view', ' displacement=8 unit=4')
		call mpi_file_read_at(file, at / 4, got, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
		call moves('MPI_File_read_at', 'read', 'explicit', at)
		call meet()
		call mpi_file_set_size(file, 4096_MPI_OFFSET_KIND, ierr)
		call does('MPI_File_set_size', 'resize', ' bytes=4096')
	end subroutine

	! MPI_File_open may end the program here: MPICH 4.0 looks at a variable that it did not set.
	subroutine failures()
		call mpi_file_delete('/nonexistent/file', MPI_INFO_NULL, ierr)
		CHECK(ierr /= MPI_SUCCESS)
		call failed('MPI_File_delete', ierr)
	end subroutine
end program
