! SPDX-License-Identifier: BSD-3-Clause
! Works for some seconds of CPU time in a subroutine of a subroutine, of code that has no frame pointers.
module work
   implicit none
contains
   recursive subroutine inner(depth, x)
      integer, intent(in) :: depth
      double precision, intent(inout) :: x
      integer :: i

      if (depth > 0) then
         call inner(depth - 1, x)
         x = x + depth
      else
         do i = 1, 1000000
            x = x * 0.999d0 + 0.5d0
         end do
      end if
   end subroutine inner

   subroutine outer(x)
      double precision, intent(inout) :: x

      call inner(3, x)
      x = x + 1
   end subroutine outer
end module work

program deep
   use mpi
   use work
   implicit none
   integer :: ierror
   real :: begin, at
   double precision :: x

   call MPI_Init(ierror)
   x = 1
   call cpu_time(begin)
   at = begin
   do while (at - begin < 1.5)
      call outer(x)
      call cpu_time(at)
   end do
   call MPI_Finalize(ierror)
   print '(a, g0)', 'x ', x
end program deep
