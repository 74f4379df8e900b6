! SPDX-License-Identifier: BSD-3-Clause
! Threads of each rank send to the next one and receive from the one before on one channel, blocking and not, as
! threads.c does; with -DF08 by mpi_f08, and array sections that are not contiguous.
program threads
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  use omp_lib
  implicit none
  integer, parameter :: many = 4, rounds = 20
  integer :: rank, ranks, provided, next, before, thread, i, got, sent, ierror, seen(many)
  integer, allocatable :: all(:)
  integer :: row(4, 2)
#ifdef F08
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
#else
  integer :: requests(2), status(MPI_STATUS_SIZE)
#endif

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  seen = 1
  !$omp parallel num_threads(many) private(thread, i, got, sent, requests, status, ierror, row)
  thread = omp_get_thread_num() + 1
  do i = 1, rounds
    sent = (i * many + thread) * ranks + rank
    select case (mod(i, 4))
    case (0)
      call MPI_Send(sent, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, ierror)
      call MPI_Recv(got, 1, MPI_INTEGER, before, 1, MPI_COMM_WORLD, status, ierror)
    case (1)
      call MPI_Irecv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, requests(1), ierror)
      call MPI_Isend(sent, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, requests(2), ierror)
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
      call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierror)
    case (2)
      call MPI_Sendrecv(sent, 1, MPI_INTEGER, next, 1, got, 1, MPI_INTEGER, before, 1, MPI_COMM_WORLD, status, ierror)
    case (3)
#ifdef F08
      row = sent
      call MPI_Sendrecv(sent, 1, MPI_INTEGER, next, 1, row(2, :), 2, MPI_INTEGER, before, 1, MPI_COMM_WORLD, status, ierror)
      got = row(2, 1)
#else
      got = sent
      call MPI_Sendrecv_replace(got, 1, MPI_INTEGER, next, 1, before, 1, MPI_COMM_WORLD, status, ierror)
#endif
    end select
    seen(thread) = ieor(seen(thread) * 31, got)
  end do
  !$omp end parallel
  allocate(all(many * ranks))
  call MPI_Gather(seen, many, MPI_INTEGER, all, many, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(4(1x,z8.8))', all
  call MPI_Finalize(ierror)
end program
