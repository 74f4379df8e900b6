! SPDX-License-Identifier: BSD-3-Clause
! What few programs of Fortran have: loops whose iterations wait for each other, teams, target constructs with the host
! as the device, scope, tasks that reduce or whose events are fulfilled, depend objects.
program rare
  use omp_lib
  use statements
  implicit none
  integer, parameter :: threads = 3, length = 6
  integer :: total, wanted

  total = 0
  wanted = 0
  call across()
  call leagues()
  call targets()
  call scopes()
  call tasks()
  if (total /= wanted) stop 1

contains
  subroutine across()
    integer :: i, j, paths(0:length, 0:length)
    integer(8) :: k, order(0:length)

    paths = 0
    paths(0, 1) = 1
    order = 0
    !$omp parallel num_threads(threads)
    !$omp do ordered(2) schedule(dynamic)
    do i = 1, length
      do j = 1, length
        !$omp ordered depend(sink: i - 1, j) depend(sink: i, j - 1)
        paths(i, j) = paths(i - 1, j) + paths(i, j - 1)
        !$omp ordered depend(source)
      end do
    end do
    !$omp end do
    !$omp do ordered(1) schedule(static, 1)
    do k = 1, length
      !$omp ordered depend(sink: k - 1)
      order(k) = order(k - 1) + 1
      !$omp ordered depend(source)
    end do
    !$omp end do
    !$omp end parallel
    total = total + paths(length, length) + int(order(length))
    wanted = wanted + 252 + length
    call say("count depend source", 2 * length * length + length)
    call say("count depend sink", 2 * 2 * length * (length - 1) + length - 1)
    call say("count loop dynamic", threads)
    call say("count loop static", threads)
  end subroutine across

  subroutine leagues()
    integer :: n

    n = 0
    !$omp teams num_teams(2) shared(n)
    !$omp parallel num_threads(2)
    !$omp atomic
    n = n + 1
    !$omp end parallel
    !$omp end teams
    !$omp target teams num_teams(2) map(tofrom: n)
    n = n + 1
    !$omp end target teams
    total = total + n
    wanted = wanted + 4 + 2
    call say("count teams", 2)
  end subroutine leagues

  subroutine targets()
    integer :: a(10), n

    a = 0
    n = 0
    !$omp target data map(tofrom: a)
    !$omp target map(tofrom: a)
    a(1) = 5
    !$omp end target
    !$omp target update from(a)
    !$omp end target data
    !$omp target enter data map(to: a)
    !$omp target exit data map(from: a)
    !$omp parallel num_threads(threads)
    !$omp single
    !$omp target nowait map(tofrom: n)
    n = n + 1
    !$omp end target
    !$omp taskwait
    !$omp end single
    !$omp end parallel
    total = total + a(1) + n
    wanted = wanted + 6
    call say("count target", 3)
    call say("count target enter data", 2)
    call say("count target exit data", 2)
    call say("count target update", 1)
  end subroutine targets

  subroutine scopes()
    integer :: n

    n = 0
    !$omp parallel num_threads(threads)
    !$omp scope reduction(task, +: n)
    !$omp task in_reduction(+: n)
    n = n + 1
    !$omp end task
    !$omp end scope
    !$omp end parallel
    total = total + n
    wanted = wanted + threads
    call say("count scope", threads)
    call say("inside scope / parallel")
  end subroutine scopes

  subroutine tasks()
    integer(omp_depend_kind) :: object
    integer(omp_event_handle_kind) :: event
    integer :: first, n, all
    integer(8) :: i

    first = 0
    n = 0
    all = 0
    !$omp depobj(object) depend(inout: first)
    !$omp parallel num_threads(threads) shared(first)
    !$omp single
    !$omp task depend(out: first)
    first = first + 1
    !$omp end task
    !$omp task depend(depobj: object)
    first = first + 1
    !$omp end task
    !$omp taskwait depend(in: first)
    !$omp task detach(event) shared(n)
    n = n + 1
    !$omp end task
    call omp_fulfill_event(event)
    !$omp taskloop num_tasks(3)
    do i = 1, 30
      !$omp atomic
      all = all + 1
    end do
    !$omp end taskloop
    !$omp end single
    !$omp end parallel
    !$omp parallel do num_threads(threads) reduction(task, +: all) schedule(static)
    do i = 1, length
      !$omp task in_reduction(+: all)
      all = all + 1
      !$omp end task
    end do
    !$omp end parallel do
    !$omp depobj(object) destroy
    total = total + first + n + all
    wanted = wanted + 2 + 1 + 30 + length
    call say("count depend inout", 2)
    call say("count depend in", 1)
    call say("count omp_fulfill_event", 1)
    call say("count taskloop", 1)
    call say("count task", 2 + 1 + 3 + length + threads)
    call say("events ThreadTaskCreate", 2 + 1 + 3 + length + threads)
    call say("events ThreadTaskComplete", 2 + 1 + 3 + length + threads)
  end subroutine tasks
end program rare
