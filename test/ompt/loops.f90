! SPDX-License-Identifier: BSD-3-Clause
! OpenMP from Fortran: a known number of each construct.
program loops
  use omp_lib
  use statements
  implicit none
  integer, parameter :: threads = 3, rounds = 5
  integer :: i, k, x, y
  real :: a(30)

  x = 0
  y = 0
  do k = 1, rounds
    !$omp parallel num_threads(threads) private(i)
    !$omp do schedule(static)
    do i = 1, 30
      a(i) = real(i)
    end do
    !$omp end do
    !$omp critical
    x = x + 1
    !$omp end critical
    !$omp barrier
    !$omp single
    !$omp task shared(y)
    !$omp atomic
    y = y + 1
    !$omp end task
    !$omp taskwait
    !$omp end single
    !$omp master
    x = x + 1
    !$omp end master
    !$omp end parallel
  end do
  call say("count parallel", threads * rounds)
  call say("count critical", threads * rounds)
  call say("count barrier", threads * rounds)
  call say("count task", rounds)
  call say("count single", rounds)
  call say("count taskwait", rounds)
  call say("count masked", rounds)
  call say("events ThreadTaskCreate", rounds)
  call say("threads", threads)
  call say("team", threads)
  if (x /= (threads + 1) * rounds .or. y /= rounds .or. a(30) < 1) stop 1
end program loops
