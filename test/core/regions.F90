! SPDX-License-Identifier: BSD-3-Clause
! Regions of a Fortran program with MPI and OpenMP, which writes what it tells as said.h has it.
program regions
    use hybmon
#ifdef WITH_MPI
    use mpi
#endif
    use, intrinsic :: iso_fortran_env
    implicit none
    type(hybmon_region), save :: outer, step
    type(hybmon_counter), save :: residual, cells
    character(len=200) :: folder
    character(len=20) :: rank_text = '-', thread_text
    character(len=30) :: name
    integer :: rank = 0, i, unit
#ifdef WITH_MPI
    integer :: ierror, provided

    call begin_said(0)
    call hybmon_begin('before MPI')
    call say('enter before MPI')
    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
    call hybmon_end()
    call say('leave before MPI')
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
#else
    call begin_said(0)
#endif
    call hybmon_region_begin(outer, 'outer   ', '/somewhere/regions.F90', 17, hybmon_role_phase)
    call say('enter outer @regions.F90:17')
    call hybmon_parameter('rank  ', rank)
    call say_parameter('rank int=', int(rank, int64))
    call hybmon_parameter('large', huge(1_int64))
    call say_parameter('large int=', huge(1_int64))
    call hybmon_parameter('half', 0.5)
    call say('point outer @regions.F90:17')
    call say('  parameter half double=0.5')
    call hybmon_parameter('quarter', 0.25d0)
    call say('point outer @regions.F90:17')
    call say('  parameter quarter double=0.25')
    call hybmon_parameter('text', 'trimmed    ')
    call say('point outer @regions.F90:17')
    call say('  parameter text string=trimmed')
    do i = 1, 3
        call hybmon_region_begin(step, 'step', role=hybmon_role_iteration)
        call say('enter step')
        write (name, '(a,i0)') 'turn', i
        call hybmon_begin(name)
        call say('enter ' // trim(name))
        call hybmon_count(residual, 1.0d0 / i, 'residual', mode=hybmon_counter_sample)
        call hybmon_count(cells, 100 * i, 'cells', 'cells')
        call hybmon_end()
        call say('leave ' // trim(name))
        call hybmon_region_end(step)
        call say('leave step')
#ifdef WITH_MPI
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
#endif
    end do
    call hybmon_region_end(outer)
    call say('leave outer @regions.F90:17')
    call threads()
#ifdef WITH_MPI
    call MPI_Finalize(ierror)
#endif
    print '(a)', 'done'

contains

    subroutine begin_said(thread)
        integer, intent(in) :: thread

        call get_environment_variable('TEST_SAID', folder)
#ifdef WITH_MPI
        call get_environment_variable('OMPI_COMM_WORLD_RANK', rank_text)
        if (rank_text == '') call get_environment_variable('PMI_RANK', rank_text)
#endif
        write (thread_text, '(i0)') thread
        open (newunit=unit, file=trim(folder) // '/' // trim(rank_text) // '.' // trim(thread_text), action='write')
    end subroutine

    subroutine say(text)
        character(*), intent(in) :: text

        write (unit, '(a)') trim(rank_text) // '.' // trim(thread_text) // ' ' // text
    end subroutine

    subroutine say_parameter(text, value)
        character(*), intent(in) :: text
        integer(int64), intent(in) :: value
        character(len=30) :: number

        write (number, '(i0)') value
        call say('point outer @regions.F90:17')
        call say('  parameter ' // text // trim(number))
    end subroutine

    ! Each thread of the team tells as often: how often is compared, in the streams of all.
    subroutine threads()
        type(hybmon_region), save :: inside
        integer :: turn

        !$omp parallel do num_threads(3) schedule(static)
        do turn = 1, 300
            call hybmon_region_begin(inside, 'inside')
            call hybmon_region_end(inside)
        end do
        !$omp end parallel do
    end subroutine
end program
