! SPDX-License-Identifier: BSD-3-Clause
! MPI calls back what Fortran programs give it, recorded or not: attribute functions, operations, error handlers,
! generalized requests.
#include "binding.h"

module given
	USE_MPI
	implicit none
	INCLUDE_MPI
	integer :: copies = 0, deletions = 0, errors = 0, queries = 0, frees = 0
contains
	subroutine copy(comm, keyval, extra, in, out, flag, ierror)
		COMM_T :: comm
		integer :: keyval, ierror
		integer(kind=MPI_ADDRESS_KIND) :: extra, in, out
		logical :: flag

		copies = copies + 1
		out = in + extra
		flag = .true.
		ierror = MPI_SUCCESS
	end subroutine

	subroutine forget(comm, keyval, value, extra, ierror)
		COMM_T :: comm
		integer :: keyval, ierror
		integer(kind=MPI_ADDRESS_KIND) :: value, extra

		deletions = deletions + 1
		ierror = MPI_SUCCESS
	end subroutine

#if defined(BINDING_f08)
	subroutine larger(in, out, n, kind)
		use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
		type(c_ptr), value :: in, out
		integer :: n
		DTYPE_T :: kind
		integer, pointer :: a(:), b(:)

		call c_f_pointer(in, a, [n])
		call c_f_pointer(out, b, [n])
		b = max(a, b)
	end subroutine
#else
	subroutine larger(in, out, n, kind)
		integer :: n, kind
		integer :: in(n), out(n)

		out = max(in, out)
	end subroutine
#endif

	subroutine failed_so(comm, code)
		COMM_T :: comm
		integer :: code

		errors = errors + 1
	end subroutine

	subroutine query(extra, status, ierror)
		integer(kind=MPI_ADDRESS_KIND) :: extra
		STATUS_T(status)
		integer :: ierror

		queries = queries + 1
		call mpi_status_set_elements(status, MPI_BYTE, 0, ierror)
		call mpi_status_set_cancelled(status, .false., ierror)
		SOURCE_OF(status) = MPI_UNDEFINED
		TAG_OF(status) = int(extra)
		ierror = MPI_SUCCESS
	end subroutine

	subroutine release(extra, ierror)
		integer(kind=MPI_ADDRESS_KIND) :: extra
		integer :: ierror

		frees = frees + 1
		ierror = MPI_SUCCESS
	end subroutine

	subroutine cancel(extra, complete, ierror)
		integer(kind=MPI_ADDRESS_KIND) :: extra
		logical :: complete
		integer :: ierror

		ierror = MPI_SUCCESS
	end subroutine
end module

program callbacks
	use given
	use expect
	implicit none
	character(len=*), parameter :: world = 'MPI_COMM_WORLD'
	integer :: ierr, n

	call expect_open()
	call mpi_init(ierr)
	call both('MPI_Init')
	call mpi_comm_size(MPI_COMM_WORLD, n, ierr)
	call both('MPI_Comm_size')
	call attributes()
	call operation()
	call error_handler()
	call own_request()
	print *, copies, deletions, errors, queries, frees
	call mpi_finalize(ierr)
	call both('MPI_Finalize')
contains
	subroutine attributes()
		COMM_T :: parent, child
		integer :: keyval
		integer(kind=MPI_ADDRESS_KIND) :: extra, value
		logical :: flag

		extra = 5
		call mpi_comm_create_keyval(copy, forget, keyval, extra, ierr)
		call both('MPI_Comm_create_keyval')
		call mpi_comm_dup(MPI_COMM_WORLD, parent, ierr)
		call both('MPI_Comm_dup')
		value = 37
		call mpi_comm_set_attr(parent, keyval, value, ierr)
		call both('MPI_Comm_set_attr')
		call mpi_comm_dup(parent, child, ierr)
		call both('MPI_Comm_dup')
		call mpi_comm_get_attr(child, keyval, value, flag, ierr)
		call both('MPI_Comm_get_attr')
		CHECK(flag .and. value == 42 .and. copies == 1)
		call mpi_comm_delete_attr(parent, keyval, ierr)
		call both('MPI_Comm_delete_attr')
		CHECK(deletions == 1)
		call mpi_comm_free(child, ierr)
		call both('MPI_Comm_free')
		CHECK(deletions == 2 .and. child == MPI_COMM_NULL)
		call mpi_comm_free_keyval(keyval, ierr)
		call both('MPI_Comm_free_keyval')
		call mpi_comm_free(parent, ierr)
		call both('MPI_Comm_free')
		call mpi_comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
		call both('MPI_Comm_get_attr')
		CHECK(flag .and. value >= 32767)
	end subroutine

	subroutine operation()
		OP_T :: op
		integer :: mine(3), all(3)
		logical :: commutes

		call mpi_op_create(larger, .true., op, ierr)
		call both('MPI_Op_create')
		call mpi_op_commutative(op, commutes, ierr)
		call both('MPI_Op_commutative')
		CHECK(commutes)
		mine = [rank, -rank, 7]
		call mpi_allreduce(mine, all, 3, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
		call collective('MPI_Allreduce', world, no_root, 12 * n, 12 * n)
		CHECK(all(1) == n - 1 .and. all(2) == 0 .and. all(3) == 7)
		call mpi_op_free(op, ierr)
		call both('MPI_Op_free')
	end subroutine

	subroutine error_handler()
		ERRH_T :: handler
		integer :: a

		a = 0
		call mpi_comm_create_errhandler(failed_so, handler, ierr)
		call both('MPI_Comm_create_errhandler')
		call mpi_comm_set_errhandler(MPI_COMM_WORLD, handler, ierr)
		call both('MPI_Comm_set_errhandler')
		call mpi_send(a, 1, MPI_INTEGER, 99, 1, MPI_COMM_WORLD, ierr)
		CHECK(ierr /= MPI_SUCCESS .and. errors == 1)
		call failed('MPI_Send', ierr)
		call mpi_bcast(a, 1, MPI_INTEGER, 99, MPI_COMM_WORLD, ierr)
		CHECK(ierr /= MPI_SUCCESS .and. errors == 2)
		call failed('MPI_Bcast', ierr)
		call mpi_comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_TAG, ierr)
		call both('MPI_Comm_call_errhandler')
		CHECK(errors == 3)
		call mpi_comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierr)
		call both('MPI_Comm_set_errhandler')
		call mpi_errhandler_free(handler, ierr)
		call both('MPI_Errhandler_free')
	end subroutine

	subroutine own_request()
		REQUEST_T :: own
		STATUS_T(status)
		integer(kind=MPI_ADDRESS_KIND) :: extra

		extra = 11
		call mpi_grequest_start(query, release, cancel, extra, own, ierr)
		call both('MPI_Grequest_start')
		call mpi_grequest_complete(own, ierr)
		call both('MPI_Grequest_complete')
		call mpi_wait(own, status, ierr)
		call both('MPI_Wait')
		CHECK(queries == 1 .and. frees == 1 .and. TAG_OF(status) == 11)
	end subroutine
end program
