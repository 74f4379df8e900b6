! SPDX-License-Identifier: BSD-3-Clause
! WAYS(op, root, sent, received): the collective operation op with the arguments ARGS, blocking, non-blocking and,
! where there is that, persistent. Wants handle, number, turn, ierr, ours (the communicator's name), and the module
! operands. gfortran's preprocessor is the traditional one: it puts arguments into strings too.
#define BLOCKING(op, root, s, r) call refill(); call mpi_/**/op(ARGS, ierr); call collective('MPI_' // capital('op'), ours, root, s, r); call report('op')
#define WAITED(op, root, s, r) call mpi_wait(handle, MPI_STATUS_IGNORE, ierr); call both('MPI_Wait'); call operated('op', ours, root, s, r, number); call report('op')
#define NONBLOCKING(op, root, s, r) call refill(); call mpi_i/**/op(ARGS, handle, ierr); call icolls('MPI_I' // 'op', 'op', ours, number); WAITED(op, root, s, r)
#define STARTED(op) call refill(); call mpi_start(handle, ierr); call both('MPI_Start'); call begins_coll('op', ours, number)
#define TWICE(op, root, s, r) do turn = 1, 2; STARTED(op); WAITED(op, root, s, r); end do; call mpi_request_free(handle, ierr); call both('MPI_Request_free')

#if defined(HAVE_MPI_Bcast_init)
#define PERSISTENT(op, root, s, r) call mpi_/**/op/**/_init(ARGS, MPI_INFO_NULL, handle, ierr); call both('MPI_' // capital('op') // '_init'); TWICE(op, root, s, r)
#elif defined(HAVE_MPIX_Bcast_init)
#define PERSISTENT(op, root, s, r) call mpix_/**/op/**/_init(ARGS, MPI_INFO_NULL, handle, ierr); call both('MPIX_' // capital('op') // '_init'); TWICE(op, root, s, r)
#else
#define PERSISTENT(op, root, s, r) continue
#endif

#define WAYS(op, root, s, r) BLOCKING(op, root, s, r); NONBLOCKING(op, root, s, r); PERSISTENT(op, root, s, r)

! What MPIs have of their own is in another module.
#if defined(HAVE_MPIX_Bcast_init) && defined(BINDING_f08)
#define USE_MPI_EXTENSIONS use mpi_f08_ext
#elif defined(HAVE_MPIX_Bcast_init) && defined(BINDING_mpi)
#define USE_MPI_EXTENSIONS use mpi_ext
#else
#define USE_MPI_EXTENSIONS
#endif
