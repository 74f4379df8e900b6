! SPDX-License-Identifier: BSD-3-Clause
! MPI and OpenMP from Fortran, on two ranks: messages by the master thread between barriers.
program hybrid
  use omp_lib
  use statements
  implicit none
  include 'mpif.h'
  integer, parameter :: threads = 2, rounds = 10
  integer :: ierror, rank, provided, i, out, got, right
  integer :: status(MPI_STATUS_SIZE)

  right = 0
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  !$omp parallel num_threads(threads) private(i)
  do i = 1, rounds
    !$omp master
    out = i
    call MPI_Sendrecv(out, 1, MPI_INTEGER, 1 - rank, i, got, 1, MPI_INTEGER, 1 - rank, i, MPI_COMM_WORLD, &
                      status, ierror)
    if (got == i) right = right + 1
    !$omp end master
    !$omp barrier
  end do
  !$omp critical
  right = right + 1
  !$omp end critical
  !$omp end parallel
  call MPI_Finalize(ierror)
  if (rank == 0) then
    call say("count parallel", 2 * threads)
    call say("count MPI_Sendrecv", 2 * rounds)
    call say("count masked", 2 * rounds)
    call say("count barrier", 2 * threads * rounds)
    call say("count critical", 2 * threads)
    call say("inside MPI_Sendrecv / masked")
    call say("threads", 2 * threads)
  end if
  if (right /= rounds + threads) stop 1
end program hybrid
