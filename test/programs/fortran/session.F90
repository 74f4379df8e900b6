! SPDX-License-Identifier: BSD-3-Clause
! A program with sessions and without MPI_Init, from Fortran: what is asked of a session, communicators made of groups,
! one session inside of another. Where the MPI has no sessions it ends with status 77. See session.c.
#include "binding.h"

#if defined(HAVE_MPI_Session_init)
program session
	USE_MPI
	use expect
	use rings
	implicit none
	INCLUDE_MPI
	SESSION_T :: outer, inner
	GROUP_T :: all, again
	COMM_T :: here
	integer :: ierr, n

	call expect_open()
	call begin(outer, all)
	call asked()
	call whole(all, 'whole')
	call halves()
	call begin(inner, again)
	call whole(again, 'whole-of-the-second')
	call finish(outer, all)
	call whole(again, 'later')
	call finish(inner, again)
contains
	subroutine begin(it, group)
		SESSION_T, intent(out) :: it
		GROUP_T, intent(out) :: group
		integer :: me

		call mpi_session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, it, ierr)
		call both('MPI_Session_init')
		CHECK(ierr == MPI_SUCCESS)
		call mpi_group_from_session_pset(it, 'mpi://WORLD', group, ierr)
		call both('MPI_Group_from_session_pset')
		call mpi_group_rank(group, me, ierr)
		call both('MPI_Group_rank')
		CHECK(me == rank)
		call mpi_group_size(group, n, ierr)
		call both('MPI_Group_size')
	end subroutine

	subroutine finish(it, group)
		SESSION_T, intent(inout) :: it
		GROUP_T, intent(inout) :: group

		call mpi_group_free(group, ierr)
		call both('MPI_Group_free')
		call mpi_session_finalize(it, ierr)
		call both('MPI_Session_finalize')
	end subroutine

	subroutine asked()
		character(len=1000) :: name
		INFO_T :: info
		ERRH_T :: handler
		integer :: many, length

		call mpi_session_get_num_psets(outer, MPI_INFO_NULL, many, ierr)
		call both('MPI_Session_get_num_psets')
		CHECK(many >= 2)
		length = 1000
		call mpi_session_get_nth_pset(outer, MPI_INFO_NULL, 1, length, name, ierr)
		call both('MPI_Session_get_nth_pset')
		call mpi_session_get_pset_info(outer, 'mpi://SELF', info, ierr)
		call both('MPI_Session_get_pset_info')
		call mpi_info_free(info, ierr)
		call both('MPI_Info_free')
		call mpi_session_get_info(outer, info, ierr)
		call both('MPI_Session_get_info')
		call mpi_info_free(info, ierr)
		call both('MPI_Info_free')
		call mpi_session_get_errhandler(outer, handler, ierr)
		call both('MPI_Session_get_errhandler')
		! Open MPI 5.0 has this argument as INTENT(INOUT)
		handler = MPI_ERRORS_ARE_FATAL
		call mpi_session_set_errhandler(outer, handler, ierr)
		call both('MPI_Session_set_errhandler')
	end subroutine

	subroutine use_in_turn(name)
		character(len=*), intent(in) :: name

		call use_it(here, name)
		call mpi_comm_free(here, ierr)
		call both('MPI_Comm_free')
	end subroutine

	subroutine whole(group, name)
		GROUP_T, intent(in) :: group
		character(len=*), intent(in) :: name

		call mpi_comm_create_from_group(group, 'org.hybmon.whole', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, here, ierr)
		call both('MPI_Comm_create_from_group')
		call use_in_turn(name)
	end subroutine

	! The two halves of all ranks, and an intercommunicator between them
	subroutine halves()
		GROUP_T :: mine, theirs
		COMM_T :: across
		integer :: half, i

		half = n / 2
		if (rank < half) then
			call mpi_group_incl(all, half, [(i, i = 0, half - 1)], mine, ierr)
			call mpi_group_incl(all, n - half, [(i, i = half, n - 1)], theirs, ierr)
		else
			call mpi_group_incl(all, n - half, [(i, i = half, n - 1)], mine, ierr)
			call mpi_group_incl(all, half, [(i, i = 0, half - 1)], theirs, ierr)
		end if
		call both('MPI_Group_incl')
		call both('MPI_Group_incl')
		call mpi_comm_create_from_group(mine, 'org.hybmon.half', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, here, ierr)
		call both('MPI_Comm_create_from_group')
		call use_in_turn(trim(merge('lower', 'upper', rank < half)))
		call mpi_intercomm_create_from_groups(mine, 0, theirs, 0, 'org.hybmon.across', MPI_INFO_NULL, &
			MPI_ERRORS_ARE_FATAL, across, ierr)
		call both('MPI_Intercomm_create_from_groups')
		call mpi_intercomm_merge(across, rank >= half, here, ierr)
		call both('MPI_Intercomm_merge')
		call use_in_turn('merged')
		call mpi_comm_free(across, ierr)
		call both('MPI_Comm_free')
		call mpi_group_free(mine, ierr)
		call both('MPI_Group_free')
		call mpi_group_free(theirs, ierr)
		call both('MPI_Group_free')
	end subroutine
end program
#else
program session
	stop 77
end program
#endif
