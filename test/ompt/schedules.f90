! SPDX-License-Identifier: BSD-3-Clause
! What loops.f90 leaves out: loops of each schedule, ordered ones, sections, workshare, locks, reductions, tasks with
! dependences and in groups, nested regions.
program schedules_and_locks
  use omp_lib
  use statements
  implicit none
  integer, parameter :: threads = 3, rounds = 4
  integer :: total, wanted

  total = 0
  wanted = 0
  call schedules()
  call in_order()
  call shared_out()
  call locks()
  call reductions()
  call tasks()
  call nested()
  if (total /= wanted) stop 1

contains
  subroutine schedules()
    integer :: i, n

    n = 0
    !$omp parallel num_threads(threads)
    !$omp do schedule(dynamic, 2)
    do i = 1, 30
      !$omp atomic
      n = n + 1
    end do
    !$omp end do
    !$omp do schedule(guided)
    do i = 30, 1, -3
      !$omp atomic
      n = n + 1
    end do
    !$omp end do nowait
    !$omp do schedule(runtime)
    do i = 1, 12
      !$omp atomic
      n = n + 1
    end do
    !$omp end do
    !$omp end parallel
    total = total + n
    wanted = wanted + 30 + 10 + 12
  end subroutine schedules

  subroutine in_order()
    integer :: i, n

    n = 0
    !$omp parallel do ordered schedule(dynamic) num_threads(threads)
    do i = 1, 6
      !$omp ordered
      n = 2 * n + i
      !$omp end ordered
    end do
    !$omp end parallel do
    total = total + n
    wanted = wanted + 120
    call say("count ordered", 6)
  end subroutine in_order

  subroutine shared_out()
    integer :: a(12), n

    n = 0
    !$omp parallel num_threads(threads) shared(a, n)
    !$omp sections
    !$omp section
    !$omp atomic
    n = n + 1
    !$omp section
    !$omp atomic
    n = n + 1
    !$omp end sections
    !$omp workshare
    a = 1
    !$omp end workshare
    !$omp critical(named)
    n = n + a(5)
    !$omp end critical(named)
    !$omp end parallel
    total = total + n
    wanted = wanted + 2 + threads
    call say("count critical", threads)
  end subroutine shared_out

  subroutine locks()
    integer(omp_lock_kind) :: lock
    integer(omp_nest_lock_kind) :: nest
    integer :: i, n

    n = 0
    call omp_init_lock(lock)
    call omp_init_nest_lock(nest)
    !$omp parallel num_threads(threads) private(i)
    do i = 1, rounds
      call omp_set_lock(lock)
      n = n + 1
      call omp_unset_lock(lock)
      call omp_set_nest_lock(nest)
      call omp_set_nest_lock(nest)
      n = n + 1
      call omp_unset_nest_lock(nest)
      call omp_unset_nest_lock(nest)
    end do
    !$omp end parallel
    call omp_destroy_lock(lock)
    call omp_destroy_nest_lock(nest)
    call say("count omp_set_lock", threads * rounds)
    call say("count omp_unset_lock", threads * rounds)
    call say("count omp_set_nest_lock", 2 * threads * rounds)
    call say("count omp_unset_nest_lock", 2 * threads * rounds)
  end subroutine locks

  subroutine reductions()
    integer :: i, sum, most

    sum = 0
    most = 0
    !$omp parallel do num_threads(threads) reduction(+ : sum) reduction(max : most) schedule(static)
    do i = 1, 30
      sum = sum + 1
      most = max(most, i)
    end do
    !$omp end parallel do
    total = total + sum + most
    wanted = wanted + 60
  end subroutine reductions

  subroutine tasks()
    integer :: i, n, first

    n = 0
    first = 0
    !$omp parallel num_threads(threads)
    !$omp single
    do i = 1, rounds
      !$omp task shared(first) depend(inout : first)
      first = first + 1
      !$omp end task
      !$omp task shared(n) if (.false.)
      !$omp atomic
      n = n + 1
      !$omp end task
    end do
    !$omp taskwait
    !$omp taskgroup
    do i = 1, rounds
      !$omp task shared(n)
      !$omp atomic
      n = n + 1
      !$omp end task
    end do
    !$omp end taskgroup
    !$omp end single
    !$omp end parallel
    total = total + n + first
    wanted = wanted + 3 * rounds
    call say("count taskwait", 1)
    call say("count taskgroup", 1)
    call say("count task", 3 * rounds)
    call say("events ThreadTaskCreate", 3 * rounds)
    call say("events ThreadTaskComplete", 3 * rounds)
  end subroutine tasks

  subroutine nested()
    integer :: n

    n = 0
    call omp_set_max_active_levels(2)
    !$omp parallel num_threads(2)
    !$omp parallel num_threads(2)
    !$omp atomic
    n = n + 1
    !$omp end parallel
    !$omp end parallel
    call omp_set_max_active_levels(1)
    total = total + n
    wanted = wanted + 4
    call say("count parallel", 6 * threads + 2 + 4)
    call say("events ThreadFork", 6 + 1 + 2)
    call say("events ThreadJoin", 6 + 1 + 2)
  end subroutine nested
end program schedules_and_locks
