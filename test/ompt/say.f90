! SPDX-License-Identifier: BSD-3-Clause
! Programs say what they did; see say.h.
module statements
  implicit none
contains
  subroutine say(what, n)
    character(*), intent(in) :: what
    integer, intent(in), optional :: n
    character(1000) :: path
    integer :: unit, status

    call get_environment_variable("OMP_STATEMENTS", path, status=status)
    if (status /= 0) return
    open (newunit=unit, file=trim(path), position="append")
    if (present(n)) then
      write (unit, '(a,1x,i0)') what, n
    else
      write (unit, '(a)') what
    end if
    close (unit)
  end subroutine say
end module statements
