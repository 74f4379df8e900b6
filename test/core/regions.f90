! SPDX-License-Identifier: BSD-3-Clause
! Known numbers of page faults, switches and milliseconds between MPI_COMM_SIZE and MPI_COMM_RANK, as regions.c has them.
program regions
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  include 'mpif.h'
  interface
    subroutine work_do(faults, switches, ms) bind(C)
      import :: c_int
      integer(c_int), value :: faults, switches, ms
    end subroutine
  end interface
  integer :: ierr, n, i, me

  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, me, ierr)
  do i = 1, 3
    call both(1, 1, 1, .false.)
  end do
  call both(0, 0, 0, .true.)
  call both(50 + me, 0, 0, .true.)
  call both(0, 4, 0, .true.)
  call both(3, 2, 30, .true.)
  call MPI_FINALIZE(ierr)

contains

  subroutine both(faults, switches, ms, told)
    integer, intent(in) :: faults, switches, ms
    logical, intent(in) :: told

    call MPI_COMM_SIZE(MPI_COMM_WORLD, n, ierr)
    call work_do(int(faults, c_int), int(switches, c_int), int(ms, c_int))
    call MPI_COMM_RANK(MPI_COMM_WORLD, n, ierr)
    if (told) print '(i0,a,3(1x,i0))', me, '.0 > MPI_Comm_rank', faults, switches, ms
  end subroutine
end program
