! SPDX-License-Identifier: BSD-3-Clause
! One call at least of what needs no more than an Enter and a Leave, from Fortran: environment, datatypes, packing,
! groups, info objects, attributes, error handlers, operations, statuses. See local-calls.c.
#include "binding.h"
#define DONE(name) CHECK(ierr == MPI_SUCCESS); call both(name)

program calls
	use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_f_pointer
	USE_MPI
	use expect
	use error_handlers
	implicit none
	INCLUDE_MPI
	integer, parameter :: aint = MPI_ADDRESS_KIND
	integer :: ierr, n

	call expect_open()
	call mpi_init_thread(MPI_THREAD_FUNNELED, n, ierr)
	DONE('MPI_Init_thread')
	call mpi_comm_size(MPI_COMM_WORLD, n, ierr)
	DONE('MPI_Comm_size')
	call environment()
	call memory()
	call types()
	call more_types()
	call about_types()
	call packing()
	call groups()
	call infos()
	call attributes()
	call window_attributes()
	call handlers()
	call codes()
	call statuses()
	print *, errors
	call mpi_finalize(ierr)
	DONE('MPI_Finalize')
contains
	! MPICH's mpif.h does this by a jump to C's; in Open MPI's C it is a macro
	subroutine sums()
#if defined(BINDING_h)
		integer(aint), external :: mpi_aint_add, mpi_aint_diff
#endif

		CHECK(mpi_aint_add(40_aint, 2_aint) == 42)
		call both('MPI_Aint_add')
		CHECK(mpi_aint_diff(44_aint, 2_aint) == 42)
		call both('MPI_Aint_diff')
	end subroutine

	! Recording is switched; of what lies between nothing is recorded.
	subroutine switches()
		integer :: n

		call mpi_pcontrol(2)
		call both('MPI_Pcontrol')
		call mpi_pcontrol(0)
		call both('MPI_Pcontrol')
		call line('recording off')
		call mpi_comm_rank(MPI_COMM_WORLD, n, ierr)
		call mpi_pcontrol(0)
		call line('recording on')
		call mpi_pcontrol(1)
		call both('MPI_Pcontrol')
		CHECK(n == rank)
	end subroutine

	subroutine environment()
		character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
		character(len=MPI_MAX_PROCESSOR_NAME) :: name
		integer :: major, minor, length
		double precision :: now
		logical :: flag

		now = mpi_wtime()
		call both('MPI_Wtime')
		CHECK(now >= 0)
		now = mpi_wtick()
		call both('MPI_Wtick')
		CHECK(now > 0)
		call mpi_get_version(major, minor, ierr)
		DONE('MPI_Get_version')
		call mpi_get_library_version(version, length, ierr)
		DONE('MPI_Get_library_version')
		CHECK(length > 0)
		call sums()
		call switches()
		call mpi_get_processor_name(name, length, ierr)
		DONE('MPI_Get_processor_name')
		call mpi_initialized(flag, ierr)
		DONE('MPI_Initialized')
		CHECK(flag)
		call mpi_finalized(flag, ierr)
		DONE('MPI_Finalized')
		CHECK(.not. flag)
		call mpi_query_thread(length, ierr)
		DONE('MPI_Query_thread')
		call mpi_is_thread_main(flag, ierr)
		DONE('MPI_Is_thread_main')
		CHECK(flag)
		print *, major, minor
	end subroutine

	subroutine memory()
		integer(kind=aint) :: first, second, address
		integer, pointer :: values(:)
		type(c_ptr) :: place
		integer :: a(2)

#if defined(BINDING_f08) || defined(BINDING_mpi)
		call mpi_alloc_mem(100_aint, MPI_INFO_NULL, place, ierr)
#else
		call mpi_alloc_mem(100_aint, MPI_INFO_NULL, address, ierr)
		place = transfer(address, c_null_ptr)
#endif
		DONE('MPI_Alloc_mem')
		call c_f_pointer(place, values, [1])
		call mpi_free_mem(values, ierr)
		DONE('MPI_Free_mem')
		call mpi_get_address(a(1), first, ierr)
		DONE('MPI_Get_address')
		call mpi_get_address(a(2), second, ierr)
		DONE('MPI_Get_address')
		CHECK(second - first == 4)
	end subroutine

	subroutine made(kind, bytes)
		DTYPE_T :: kind
		integer, intent(in) :: bytes
		integer(kind=aint) :: lower, extent
		integer :: got

		call mpi_type_commit(kind, ierr)
		DONE('MPI_Type_commit')
		call mpi_type_size(kind, got, ierr)
		DONE('MPI_Type_size')
		CHECK(got == bytes)
		call mpi_type_get_extent(kind, lower, extent, ierr)
		DONE('MPI_Type_get_extent')
		print *, lower, extent
		call mpi_type_free(kind, ierr)
		DONE('MPI_Type_free')
		CHECK(kind == MPI_DATATYPE_NULL)
	end subroutine

	subroutine types()
		integer(kind=aint) :: places(2)
		integer :: lengths(2), offsets(2)
		DTYPE_T :: kind, parts(2)

		lengths = [1, 2]
		offsets = [0, 4]
		places = [0_aint, 8_aint]
		parts = [MPI_INTEGER, MPI_DOUBLE_PRECISION]
		call mpi_type_contiguous(3, MPI_INTEGER, kind, ierr)
		DONE('MPI_Type_contiguous')
		call made(kind, 12)
		call mpi_type_vector(2, 1, 3, MPI_INTEGER, kind, ierr)
		DONE('MPI_Type_vector')
		call made(kind, 8)
		call mpi_type_create_hvector(2, 1, 12_aint, MPI_INTEGER, kind, ierr)
		DONE('MPI_Type_create_hvector')
		call made(kind, 8)
		call mpi_type_indexed(2, lengths, offsets, MPI_INTEGER, kind, ierr)
		DONE('MPI_Type_indexed')
		call made(kind, 12)
		call mpi_type_create_hindexed(2, lengths, places, MPI_INTEGER, kind, ierr)
		DONE('MPI_Type_create_hindexed')
		call made(kind, 12)
		call mpi_type_create_indexed_block(2, 1, offsets, MPI_INTEGER, kind, ierr)
		DONE('MPI_Type_create_indexed_block')
		call made(kind, 8)
		call mpi_type_create_hindexed_block(2, 1, places, MPI_INTEGER, kind, ierr)
		DONE('MPI_Type_create_hindexed_block')
		call made(kind, 8)
		call mpi_type_create_struct(2, lengths, places, parts, kind, ierr)
		DONE('MPI_Type_create_struct')
		call made(kind, 20)
		call mpi_type_create_resized(MPI_INTEGER, 0_aint, 16_aint, kind, ierr)
		DONE('MPI_Type_create_resized')
		call made(kind, 4)
	end subroutine

	subroutine more_types()
		integer :: sizes(2), parts(2), starts(2), distributed(1), arguments(1), grid(1)
		DTYPE_T :: kind

		sizes = 4
		parts = 2
		starts = 0
		call mpi_type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INTEGER, kind, ierr)
		DONE('MPI_Type_create_subarray')
		call made(kind, 16)
		distributed = MPI_DISTRIBUTE_BLOCK
		arguments = MPI_DISTRIBUTE_DFLT_DARG
		grid = 1
		call mpi_type_create_darray(1, 0, 1, sizes(:1), distributed, arguments, grid, MPI_ORDER_FORTRAN, &
			MPI_INTEGER, kind, ierr)
		DONE('MPI_Type_create_darray')
		call made(kind, 16)
		call mpi_type_create_f90_integer(9, kind, ierr)
		DONE('MPI_Type_create_f90_integer')
		call mpi_type_create_f90_real(6, 30, kind, ierr)
		DONE('MPI_Type_create_f90_real')
		call mpi_type_create_f90_complex(6, 30, kind, ierr)
		DONE('MPI_Type_create_f90_complex')
		call mpi_type_match_size(MPI_TYPECLASS_REAL, 8, kind, ierr)
		DONE('MPI_Type_match_size')
	end subroutine

	subroutine about_types()
		integer(kind=aint) :: lower, extent, addresses(1)
		integer(kind=MPI_COUNT_KIND) :: large, large_extent
		integer :: integers, many, kinds, combiner, length, numbers(3)
		character(len=MPI_MAX_OBJECT_NAME) :: name
		DTYPE_T :: kind, copy, inner(1)

		call mpi_type_vector(2, 1, 3, MPI_INTEGER, kind, ierr)
		DONE('MPI_Type_vector')
		call mpi_type_get_envelope(kind, integers, many, kinds, combiner, ierr)
		DONE('MPI_Type_get_envelope')
		CHECK(integers == 3 .and. many == 0 .and. kinds == 1 .and. combiner == MPI_COMBINER_VECTOR)
		call mpi_type_get_contents(kind, 3, 1, 1, numbers, addresses, inner, ierr)
		DONE('MPI_Type_get_contents')
		CHECK(all(numbers == [2, 1, 3]) .and. inner(1) == MPI_INTEGER)
		call mpi_type_dup(kind, copy, ierr)
		DONE('MPI_Type_dup')
		call mpi_type_set_name(copy, 'a copy', ierr)
		DONE('MPI_Type_set_name')
		call mpi_type_get_name(copy, name, length, ierr)
		DONE('MPI_Type_get_name')
		CHECK(length == 6 .and. name == 'a copy')
		call mpi_type_get_true_extent(copy, lower, extent, ierr)
		DONE('MPI_Type_get_true_extent')
		CHECK(lower == 0 .and. extent == 16)
		call mpi_type_size_x(copy, large, ierr)
		DONE('MPI_Type_size_x')
		CHECK(large == 8)
		call mpi_type_get_extent_x(copy, large, large_extent, ierr)
		DONE('MPI_Type_get_extent_x')
		CHECK(large_extent == 16)
		call mpi_type_get_true_extent_x(copy, large, large_extent, ierr)
		DONE('MPI_Type_get_true_extent_x')
		CHECK(large_extent == 16)
		call mpi_type_free(copy, ierr)
		DONE('MPI_Type_free')
		call mpi_type_free(kind, ierr)
		DONE('MPI_Type_free')
	end subroutine

	subroutine packing()
		integer(kind=aint) :: bytes, where
		integer :: room(16), value, at, small

		value = 5
		call mpi_pack_size(1, MPI_INTEGER, MPI_COMM_WORLD, small, ierr)
		DONE('MPI_Pack_size')
		CHECK(small >= 4)
		at = 0
		call mpi_pack(value, 1, MPI_INTEGER, room, 64, at, MPI_COMM_WORLD, ierr)
		DONE('MPI_Pack')
		value = 0
		at = 0
		call mpi_unpack(room, 64, at, value, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
		DONE('MPI_Unpack')
		CHECK(value == 5)
		call mpi_pack_external_size('external32', 1, MPI_INTEGER, bytes, ierr)
		DONE('MPI_Pack_external_size')
		CHECK(bytes == 4)
		where = 0
		call mpi_pack_external('external32', value, 1, MPI_INTEGER, room, 64_aint, where, ierr)
		DONE('MPI_Pack_external')
		value = 0
		where = 0
		call mpi_unpack_external('external32', room, 64_aint, where, value, 1, MPI_INTEGER, ierr)
		DONE('MPI_Unpack_external')
		CHECK(value == 5)
	end subroutine

	subroutine groups()
		GROUP_T :: all, one, other
		integer :: ranges(3, 1), ranks(1), got(1), many

		call mpi_comm_group(MPI_COMM_WORLD, all, ierr)
		DONE('MPI_Comm_group')
		call mpi_group_rank(all, many, ierr)
		DONE('MPI_Group_rank')
		CHECK(many == rank)
		call mpi_group_size(all, many, ierr)
		DONE('MPI_Group_size')
		CHECK(many == n)
		ranks = 0
		call mpi_group_incl(all, 1, ranks, one, ierr)
		DONE('MPI_Group_incl')
		call mpi_group_translate_ranks(one, 1, ranks, all, got, ierr)
		DONE('MPI_Group_translate_ranks')
		CHECK(got(1) == 0)
		call mpi_group_excl(all, 1, ranks, other, ierr)
		DONE('MPI_Group_excl')
		call mpi_group_free(other, ierr)
		DONE('MPI_Group_free')
		call mpi_group_union(all, one, other, ierr)
		DONE('MPI_Group_union')
		call mpi_group_compare(all, other, many, ierr)
		DONE('MPI_Group_compare')
		CHECK(many == MPI_IDENT)
		call mpi_group_free(other, ierr)
		DONE('MPI_Group_free')
		call mpi_group_intersection(all, one, other, ierr)
		DONE('MPI_Group_intersection')
		call mpi_group_free(other, ierr)
		DONE('MPI_Group_free')
		call mpi_group_difference(all, one, other, ierr)
		DONE('MPI_Group_difference')
		call mpi_group_free(other, ierr)
		DONE('MPI_Group_free')
		ranges(:, 1) = [0, n - 1, 1]
		call mpi_group_range_incl(all, 1, ranges, other, ierr)
		DONE('MPI_Group_range_incl')
		call mpi_group_free(other, ierr)
		DONE('MPI_Group_free')
		ranges(:, 1) = [0, 0, 1]
		call mpi_group_range_excl(all, 1, ranges, other, ierr)
		DONE('MPI_Group_range_excl')
		call mpi_group_free(other, ierr)
		DONE('MPI_Group_free')
		call mpi_group_free(one, ierr)
		DONE('MPI_Group_free')
		call mpi_group_free(all, ierr)
		DONE('MPI_Group_free')
		CHECK(all == MPI_GROUP_NULL)
	end subroutine

	subroutine infos()
		character(len=16) :: value
		character(len=MPI_MAX_INFO_KEY) :: key
		INFO_T :: info, copy
		logical :: flag
		integer :: many

		call mpi_info_create(info, ierr)
		DONE('MPI_Info_create')
		call mpi_info_set(info, 'key', 'value', ierr)
		DONE('MPI_Info_set')
		call mpi_info_get(info, 'key', 16, value, flag, ierr)
		DONE('MPI_Info_get')
		CHECK(flag .and. value == 'value')
		call mpi_info_get_valuelen(info, 'key', many, flag, ierr)
		DONE('MPI_Info_get_valuelen')
		CHECK(flag .and. many == 5)
		call mpi_info_get_nkeys(info, many, ierr)
		DONE('MPI_Info_get_nkeys')
		CHECK(many == 1)
		call mpi_info_get_nthkey(info, 0, key, ierr)
		DONE('MPI_Info_get_nthkey')
		CHECK(key == 'key')
		call mpi_info_dup(info, copy, ierr)
		DONE('MPI_Info_dup')
		call mpi_info_delete(copy, 'key', ierr)
		DONE('MPI_Info_delete')
		call mpi_info_free(copy, ierr)
		DONE('MPI_Info_free')
		call mpi_comm_set_info(MPI_COMM_WORLD, info, ierr)
		DONE('MPI_Comm_set_info')
		call mpi_comm_get_info(MPI_COMM_WORLD, copy, ierr)
		DONE('MPI_Comm_get_info')
		call mpi_info_free(copy, ierr)
		DONE('MPI_Info_free')
		call mpi_info_free(info, ierr)
		DONE('MPI_Info_free')
		CHECK(info == MPI_INFO_NULL)
	end subroutine

	subroutine attributes()
		integer(kind=aint) :: extra, value
		integer :: key, old, got
		logical :: flag
		DTYPE_T :: kind

		extra = 0
		value = 3
		call mpi_type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, key, extra, ierr)
		DONE('MPI_Type_create_keyval')
		call mpi_type_dup(MPI_INTEGER, kind, ierr)
		DONE('MPI_Type_dup')
		call mpi_type_set_attr(kind, key, value, ierr)
		DONE('MPI_Type_set_attr')
		call mpi_type_get_attr(kind, key, extra, flag, ierr)
		DONE('MPI_Type_get_attr')
		CHECK(flag .and. extra == 3)
		call mpi_type_delete_attr(kind, key, ierr)
		DONE('MPI_Type_delete_attr')
		call mpi_type_free(kind, ierr)
		DONE('MPI_Type_free')
		call mpi_type_free_keyval(key, ierr)
		DONE('MPI_Type_free_keyval')
		CHECK(key == MPI_KEYVAL_INVALID)
#if !defined(BINDING_f08)
		old = 5
		call mpi_keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, key, old, ierr)
		DONE('MPI_Keyval_create')
		call mpi_attr_put(MPI_COMM_SELF, key, old, ierr)
		DONE('MPI_Attr_put')
		call mpi_attr_get(MPI_COMM_SELF, key, got, flag, ierr)
		DONE('MPI_Attr_get')
		CHECK(flag .and. got == 5)
		call mpi_attr_delete(MPI_COMM_SELF, key, ierr)
		DONE('MPI_Attr_delete')
		call mpi_keyval_free(key, ierr)
		DONE('MPI_Keyval_free')
#endif
	end subroutine

	subroutine window_attributes()
		integer(kind=aint) :: extra, value
		integer, asynchronous :: room(4)
		integer :: key
		logical :: flag
		ERRH_T :: handler
		INFO_T :: info
		WIN_T :: win

		call mpi_win_create(room, 16_aint, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
		DONE('MPI_Win_create')
		call line('  rma create win=win#0')
		extra = 0
		value = 9
		call mpi_win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, key, extra, ierr)
		DONE('MPI_Win_create_keyval')
		call mpi_win_set_attr(win, key, value, ierr)
		DONE('MPI_Win_set_attr')
		call mpi_win_get_attr(win, key, extra, flag, ierr)
		DONE('MPI_Win_get_attr')
		CHECK(flag .and. extra == 9)
		call mpi_win_get_attr(win, MPI_WIN_SIZE, extra, flag, ierr)
		DONE('MPI_Win_get_attr')
		CHECK(flag .and. extra == 16)
		call mpi_win_delete_attr(win, key, ierr)
		DONE('MPI_Win_delete_attr')
		call mpi_win_free_keyval(key, ierr)
		DONE('MPI_Win_free_keyval')
		call mpi_win_get_info(win, info, ierr)
		DONE('MPI_Win_get_info')
		call mpi_win_set_info(win, info, ierr)
		DONE('MPI_Win_set_info')
		call mpi_info_free(info, ierr)
		DONE('MPI_Info_free')
		call mpi_win_create_errhandler(win_failed, handler, ierr)
		DONE('MPI_Win_create_errhandler')
		call mpi_win_set_errhandler(win, handler, ierr)
		DONE('MPI_Win_set_errhandler')
		call mpi_win_call_errhandler(win, MPI_ERR_OTHER, ierr)
		DONE('MPI_Win_call_errhandler')
		CHECK(errors == 1)
		call mpi_errhandler_free(handler, ierr)
		DONE('MPI_Errhandler_free')
		call mpi_win_get_errhandler(win, handler, ierr)
		DONE('MPI_Win_get_errhandler')
		call mpi_errhandler_free(handler, ierr)
		DONE('MPI_Errhandler_free')
		call mpi_win_free(win, ierr)
		DONE('MPI_Win_free')
		call line('  rma destroy win=win#0')
	end subroutine

	subroutine handlers()
		ERRH_T :: handler

		call mpi_file_create_errhandler(file_failed, handler, ierr)
		DONE('MPI_File_create_errhandler')
		call mpi_file_set_errhandler(MPI_FILE_NULL, handler, ierr)
		DONE('MPI_File_set_errhandler')
		call mpi_file_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN, ierr)
		DONE('MPI_File_set_errhandler')
		call mpi_errhandler_free(handler, ierr)
		DONE('MPI_Errhandler_free')
		call mpi_file_get_errhandler(MPI_FILE_NULL, handler, ierr)
		DONE('MPI_File_get_errhandler')
		CHECK(handler == MPI_ERRORS_RETURN)
		call mpi_comm_get_errhandler(MPI_COMM_WORLD, handler, ierr)
		DONE('MPI_Comm_get_errhandler')
		CHECK(handler == MPI_ERRORS_ARE_FATAL)
	end subroutine

	subroutine codes()
		character(len=MPI_MAX_ERROR_STRING) :: text
		integer :: class, code, got, length

		call mpi_add_error_class(class, ierr)
		DONE('MPI_Add_error_class')
		call mpi_add_error_code(class, code, ierr)
		DONE('MPI_Add_error_code')
		call mpi_add_error_string(code, 'a text', ierr)
		DONE('MPI_Add_error_string')
		call mpi_error_string(code, text, length, ierr)
		DONE('MPI_Error_string')
		CHECK(text(:length) == 'a text')
		call mpi_error_class(code, got, ierr)
		DONE('MPI_Error_class')
		CHECK(got == class)
	end subroutine

	subroutine statuses()
		integer(kind=MPI_COUNT_KIND) :: large
		integer :: got
		logical :: flag
		STATUS_T(status)

		call mpi_status_set_elements(status, MPI_INTEGER, 3, ierr)
		DONE('MPI_Status_set_elements')
		call mpi_get_elements(status, MPI_INTEGER, got, ierr)
		DONE('MPI_Get_elements')
		CHECK(got == 3)
		large = 4
		call mpi_status_set_elements_x(status, MPI_INTEGER, large, ierr)
		DONE('MPI_Status_set_elements_x')
		large = 0
		call mpi_get_elements_x(status, MPI_INTEGER, large, ierr)
		DONE('MPI_Get_elements_x')
		CHECK(large == 4)
		call mpi_status_set_cancelled(status, .true., ierr)
		DONE('MPI_Status_set_cancelled')
		call mpi_test_cancelled(status, flag, ierr)
		DONE('MPI_Test_cancelled')
		CHECK(flag)
	end subroutine
end program
