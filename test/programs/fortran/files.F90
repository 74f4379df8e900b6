! SPDX-License-Identifier: BSD-3-Clause
! What io.F90 leaves out: every other way to read and to write, what is asked of files, and a name longer than most. The
! argument is the folder, which need not be there. Two ranks.
#include "binding.h"

program files
	USE_MPI
	use expect
	use file_lines
	use error_handlers, only: errors, file_failed
	use job, only: end_job, meet
	implicit none
	INCLUDE_MPI
	character(len=*), parameter :: world = 'MPI_COMM_WORLD'
	integer, parameter :: deep = 10, long = 110
	character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
	FILE_T :: file
	integer(kind=MPI_OFFSET_KIND) :: at
	integer :: ierr, length

	call expect_open()
	call mpi_get_library_version(version, length, ierr)
	call both('MPI_Get_library_version')
	call name_it()
	call mpi_init(ierr)
	call both('MPI_Init')
	call mpi_file_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, ierr)
	CHECK(ierr == MPI_SUCCESS)
	call does('MPI_File_open', 'open', ' comm=' // world // ' mode=rdwr|create')
	at = bytes * rank
	call mpi_file_set_size(file, 1000_MPI_OFFSET_KIND, ierr)
	call does('MPI_File_set_size', 'resize', ' bytes=1000')
	call handled()
	call asked()
	call individual()
	call shared()
	call split()
	call nonblocking()
	call mpi_file_close(file, ierr)
	call does('MPI_File_close', 'close', '')
	call meet()
	if (rank == 0) then
		call mpi_file_delete(path, MPI_INFO_NULL, ierr)
		call does('MPI_File_delete', 'delete', '')
	end if
	call end_job()
contains
	! A path of more than 1023 characters: folders within folders, each with a long name. Open MPI 4.1 writes beyond a
	! buffer of its own then.
	subroutine name_it()
		character(len=4000) :: argument
		integer :: i

		call get_command_argument(1, argument)
		path = argument
		do i = 1, merge(1, deep, index(version, 'Open MPI') > 0)
			path = trim(path) // '/' // repeat(achar(iachar('a') + i), long)
		end do
		call execute_command_line('mkdir -p ' // trim(path))
		path = trim(path) // '/data'
		CHECK(len_trim(path) > 1023 .or. index(version, 'Open MPI') > 0)
	end subroutine

	subroutine seek(to)
		integer(kind=MPI_OFFSET_KIND), intent(in) :: to

		call mpi_file_seek(file, to, MPI_SEEK_SET, ierr)
		call does('MPI_File_seek', 'seek', place(to) // ' from=start reached=' // digits(int(to)))
	end subroutine

	subroutine seek_shared()
		call meet()
		call mpi_file_seek_shared(file, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
		call does('MPI_File_seek_shared', 'seek', ' offset=0 from=start shared reached=0')
		call meet()
	end subroutine

	subroutine tried(name)
		character(len=*), intent(in) :: name

		if (ierr == MPI_SUCCESS) then
			call both(name)
		else
			call failed(name, ierr)
		end if
	end subroutine

	subroutine handled()
		ERRH_T :: handler

		call mpi_file_create_errhandler(file_failed, handler, ierr)
		call both('MPI_File_create_errhandler')
		call mpi_file_set_errhandler(file, handler, ierr)
		call both('MPI_File_set_errhandler')
		call mpi_file_call_errhandler(file, MPI_ERR_OTHER, ierr)
		call both('MPI_File_call_errhandler')
		CHECK(errors == 1)
		call mpi_file_set_errhandler(file, MPI_ERRORS_RETURN, ierr)
		call both('MPI_File_set_errhandler')
		call mpi_errhandler_free(handler, ierr)
		call both('MPI_Errhandler_free')
	end subroutine

	subroutine asked()
		integer(kind=MPI_OFFSET_KIND) :: offset
		integer(kind=MPI_ADDRESS_KIND) :: extent
		character(len=MPI_MAX_DATAREP_STRING) :: representation
		DTYPE_T :: etype, filetype
		GROUP_T :: group
		INFO_T :: info
		integer :: mode
		logical :: atomic

		call mpi_file_get_size(file, offset, ierr)
		call both('MPI_File_get_size')
		CHECK(offset == 1000)
		! Open MPI makes the file larger before all have come.
		call meet()
		call mpi_file_preallocate(file, 2000_MPI_OFFSET_KIND, ierr)
		call does('MPI_File_preallocate', 'preallocate', ' bytes=2000')
		call mpi_file_get_amode(file, mode, ierr)
		call both('MPI_File_get_amode')
		CHECK(iand(mode, MPI_MODE_RDWR) /= 0)
		call mpi_file_get_group(file, group, ierr)
		call both('MPI_File_get_group')
		call mpi_group_free(group, ierr)
		call both('MPI_Group_free')
		call mpi_file_get_info(file, info, ierr)
		call both('MPI_File_get_info')
		call mpi_file_set_info(file, info, ierr)
		call both('MPI_File_set_info')
		call mpi_info_free(info, ierr)
		call both('MPI_Info_free')
		call mpi_file_get_view(file, offset, etype, filetype, representation, ierr)
		call both('MPI_File_get_view')
		CHECK(offset == 0 .and. representation == 'native')
		call mpi_file_get_type_extent(file, MPI_INTEGER, extent, ierr)
		call both('MPI_File_get_type_extent')
		CHECK(extent == 4)
		! Open MPI 4.1 fails now and then to set it.
		call mpi_file_set_atomicity(file, .true., ierr)
		call tried('MPI_File_set_atomicity')
		call mpi_file_get_atomicity(file, atomic, ierr)
		call tried('MPI_File_get_atomicity')
		call mpi_file_set_atomicity(file, .false., ierr)
		call tried('MPI_File_set_atomicity')
		call mpi_file_get_position(file, offset, ierr)
		call both('MPI_File_get_position')
		CHECK(offset == 0)
		call mpi_file_get_byte_offset(file, 5_MPI_OFFSET_KIND, offset, ierr)
		call both('MPI_File_get_byte_offset')
		CHECK(offset == 5)
		call mpi_file_get_position_shared(file, offset, ierr)
		call both('MPI_File_get_position_shared')
		CHECK(offset == 0)
	end subroutine

	subroutine individual()
		call fill(200)
		call seek(at)
		call mpi_file_write_all(file, mine, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
		call moves('MPI_File_write_all', 'write', 'collective', at)
		call seek(at)
		call mpi_file_read(file, got, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
		call moves('MPI_File_read', 'read', '-', at)
		CHECK(all(got == mine))
		call mpi_file_read_at_all(file, at, got, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
		call moves('MPI_File_read_at_all', 'read', 'collective|explicit', at)
		CHECK(all(got == mine))
	end subroutine

	subroutine shared()
		call fill(300)
		call seek_shared()
		call mpi_file_write_shared(file, mine, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
		call moves('MPI_File_write_shared', 'write', 'shared', -1_MPI_OFFSET_KIND)
		call seek_shared()
		call mpi_file_read_ordered(file, got, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
		call moves('MPI_File_read_ordered', 'read', 'collective|shared', -1_MPI_OFFSET_KIND)
		call seek_shared()
		call mpi_file_write_ordered_begin(file, mine, n, MPI_INTEGER, ierr)
		call begins('MPI_File_write_ordered_begin', 'write', 'collective|split|shared', -1_MPI_OFFSET_KIND)
		call mpi_file_write_ordered_end(file, mine, MPI_STATUS_IGNORE, ierr)
		call ends('MPI_File_write_ordered_end')
		call seek_shared()
		call mpi_file_read_ordered_begin(file, got, n, MPI_INTEGER, ierr)
		call begins('MPI_File_read_ordered_begin', 'read', 'collective|split|shared', -1_MPI_OFFSET_KIND)
		call mpi_file_read_ordered_end(file, got, MPI_STATUS_IGNORE, ierr)
		call ends('MPI_File_read_ordered_end')
		CHECK(all(got == mine))
	end subroutine

	subroutine split()
		call fill(400)
		call seek(at)
		call mpi_file_write_all_begin(file, mine, n, MPI_INTEGER, ierr)
		call begins('MPI_File_write_all_begin', 'write', 'collective|split', at)
		call mpi_file_write_all_end(file, mine, MPI_STATUS_IGNORE, ierr)
		call ends('MPI_File_write_all_end')
		call seek(at)
		call mpi_file_read_all_begin(file, got, n, MPI_INTEGER, ierr)
		call begins('MPI_File_read_all_begin', 'read', 'collective|split', at)
		call mpi_file_read_all_end(file, got, MPI_STATUS_IGNORE, ierr)
		call ends('MPI_File_read_all_end')
		CHECK(all(got == mine))
	end subroutine

	subroutine wait(request)
		REQUEST_T, intent(inout) :: request

		call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
		call ends('MPI_Wait')
	end subroutine

	subroutine nonblocking()
		REQUEST_T :: request

		call fill(500)
		call seek(at)
		call mpi_file_iwrite(file, mine, n, MPI_INTEGER, request, ierr)
		call begins('MPI_File_iwrite', 'write', 'non-blocking', at)
		call wait(request)
		call seek(at)
		call mpi_file_iread(file, got, n, MPI_INTEGER, request, ierr)
		call begins('MPI_File_iread', 'read', 'non-blocking', at)
		call wait(request)
		CHECK(all(got == mine))
		call mpi_file_iwrite_at_all(file, at, mine, n, MPI_INTEGER, request, ierr)
		call begins('MPI_File_iwrite_at_all', 'write', 'collective|non-blocking|explicit', at)
		call wait(request)
		call mpi_file_iread_at_all(file, at, got, n, MPI_INTEGER, request, ierr)
		call begins('MPI_File_iread_at_all', 'read', 'collective|non-blocking|explicit', at)
		call wait(request)
		call seek(at)
		call mpi_file_iwrite_all(file, mine, n, MPI_INTEGER, request, ierr)
		call begins('MPI_File_iwrite_all', 'write', 'collective|non-blocking', at)
		call wait(request)
		call seek(at)
		call mpi_file_iread_all(file, got, n, MPI_INTEGER, request, ierr)
		call begins('MPI_File_iread_all', 'read', 'collective|non-blocking', at)
		call wait(request)
		CHECK(all(got == mine))
		call seek_shared()
		call mpi_file_iwrite_shared(file, mine, n, MPI_INTEGER, request, ierr)
		call begins('MPI_File_iwrite_shared', 'write', 'non-blocking|shared', -1_MPI_OFFSET_KIND)
		call wait(request)
		call seek_shared()
		call mpi_file_iread_shared(file, got, n, MPI_INTEGER, request, ierr)
		call begins('MPI_File_iread_shared', 'read', 'non-blocking|shared', -1_MPI_OFFSET_KIND)
		call wait(request)
	end subroutine
end program
