! SPDX-License-Identifier: BSD-3-Clause
!
! hybmon.h for Fortran: a program says where its regions begin and end, what is to be known of them, and values of
! counters of its own. For any compiler with Fortran 2003's interoperability with C. Compile this file with the
! program, by the same compiler; it need not be linked with anything: where the library is neither preloaded nor linked,
! each call costs a test and does nothing. With C libraries older than glibc 2.34 the program needs -ldl.
!
!   use hybmon
!   type(hybmon_region), save :: region
!   ...
!   call hybmon_region_begin(region, 'solve', __FILE__, __LINE__)   ! file and line may be left out
!   call hybmon_parameter('unknowns', n)
!   ...
!   call hybmon_region_end(region)
!
! or, with names that are made at run time, hybmon_begin(name) and hybmon_end(). Blanks at the end of names do not
! count.
module hybmon
    use, intrinsic :: iso_c_binding
    implicit none
    private

    public :: hybmon_region, hybmon_counter
    public :: hybmon_region_begin, hybmon_region_end, hybmon_begin, hybmon_end
    public :: hybmon_parameter, hybmon_count
    public :: hybmon_pause, hybmon_resume, hybmon_is_recording
    public :: hybmon_role_function, hybmon_role_phase, hybmon_role_iteration, hybmon_role_loop
    public :: hybmon_counter_sum, hybmon_counter_level, hybmon_counter_sample

    ! As in hybmon.h.
    integer, parameter :: hybmon_role_function = 0, hybmon_role_phase = 1, hybmon_role_iteration = 2
    integer, parameter :: hybmon_role_loop = 3
    integer, parameter :: hybmon_counter_int = 1, hybmon_counter_double = 2
    integer, parameter :: hybmon_counter_sum = 0, hybmon_counter_level = 1, hybmon_counter_sample = 2

    ! A region of the program: a variable that is saved, one for each place. Threads may share it.
    type :: hybmon_region
        private
        type(c_ptr) :: handle = c_null_ptr
    end type

    type :: hybmon_counter
        private
        type(c_ptr) :: handle = c_null_ptr
        logical :: known = .false.
    end type

    interface hybmon_parameter
        module procedure parameter_int, parameter_long, parameter_float, parameter_double, parameter_text
    end interface

    ! hybmon_count(counter, value, name, unit, mode): all but the first two count the first time only
    interface hybmon_count
        module procedure count_int, count_long, count_float, count_double
    end interface

    abstract interface
        subroutine call_nothing() bind(C)
        end subroutine
        function call_status() bind(C)
            import
            integer(c_int) :: call_status
        end function
        subroutine call_handle(handle) bind(C)
            import
            type(c_ptr), value :: handle
        end subroutine
        function call_named(name, file, line, role) bind(C)
            import
            character(kind=c_char), intent(in) :: name(*), file(*)
            integer(c_int), value :: line, role
            type(c_ptr) :: call_named
        end function
        subroutine call_text(name) bind(C)
            import
            character(kind=c_char), intent(in) :: name(*)
        end subroutine
        subroutine call_text_long(name, value) bind(C)
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), value :: value
        end subroutine
        subroutine call_text_double(name, value) bind(C)
            import
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), value :: value
        end subroutine
        subroutine call_text_text(name, value) bind(C)
            import
            character(kind=c_char), intent(in) :: name(*), value(*)
        end subroutine
        subroutine call_handle_long(handle, value) bind(C)
            import
            type(c_ptr), value :: handle
            integer(c_int64_t), value :: value
        end subroutine
        subroutine call_handle_double(handle, value) bind(C)
            import
            type(c_ptr), value :: handle
            real(c_double), value :: value
        end subroutine
    end interface

    interface
        function find_symbol(where, name) bind(C, name='dlsym')
            import
            type(c_ptr), value :: where
            character(kind=c_char), intent(in) :: name(*)
            type(c_funptr) :: find_symbol
        end function
    end interface

    ! Looked up the first time, by whichever thread: all find the same. Then `there` says whether there is a library.
    logical, save :: looked = .false., there = .false.
    procedure(call_nothing), pointer, save :: c_pause => null(), c_resume => null(), c_end => null()
    procedure(call_status), pointer, save :: c_is_recording => null()
    procedure(call_handle), pointer, save :: c_region_begin => null(), c_region_end => null()
    procedure(call_named), pointer, save :: c_region_named => null(), c_counter_named => null()
    procedure(call_text), pointer, save :: c_begin => null()
    procedure(call_text_long), pointer, save :: c_parameter_int => null()
    procedure(call_text_double), pointer, save :: c_parameter_double => null()
    procedure(call_text_text), pointer, save :: c_parameter_string => null()
    procedure(call_handle_long), pointer, save :: c_counter_int => null()
    procedure(call_handle_double), pointer, save :: c_counter_double => null()

contains

    function symbol(name)
        character(*), intent(in) :: name
        type(c_funptr) :: symbol

        ! RTLD_DEFAULT is NULL: what the program would find by that name itself
        symbol = find_symbol(c_null_ptr, c_text(name))
    end function

    subroutine look()
        if (c_associated(symbol('hybmon_region_named'))) then
            call c_f_procpointer(symbol('hybmon_pause'), c_pause)
            call c_f_procpointer(symbol('hybmon_resume'), c_resume)
            call c_f_procpointer(symbol('hybmon_is_recording'), c_is_recording)
            call c_f_procpointer(symbol('hybmon_region_begin'), c_region_begin)
            call c_f_procpointer(symbol('hybmon_region_end'), c_region_end)
            call c_f_procpointer(symbol('hybmon_region_named'), c_region_named)
            call c_f_procpointer(symbol('hybmon_begin'), c_begin)
            call c_f_procpointer(symbol('hybmon_end'), c_end)
            call c_f_procpointer(symbol('hybmon_parameter_int'), c_parameter_int)
            call c_f_procpointer(symbol('hybmon_parameter_double'), c_parameter_double)
            call c_f_procpointer(symbol('hybmon_parameter_string'), c_parameter_string)
            call c_f_procpointer(symbol('hybmon_counter_named'), c_counter_named)
            call c_f_procpointer(symbol('hybmon_counter_int'), c_counter_int)
            call c_f_procpointer(symbol('hybmon_counter_double'), c_counter_double)
            there = .true.
        end if
        looked = .true.
    end subroutine

    function is_there()
        logical :: is_there

        if (.not. looked) call look()
        is_there = there
    end function

    ! Without the blanks at its end, and as C wants it.
    pure function c_text(text)
        character(*), intent(in) :: text
        character(kind=c_char) :: c_text(len_trim(text) + 1)
        integer :: i

        do i = 1, len_trim(text)
            c_text(i) = text(i:i)
        end do
        c_text(len_trim(text) + 1) = c_null_char
    end function

    subroutine hybmon_pause()
        if (is_there()) call c_pause()
    end subroutine

    subroutine hybmon_resume()
        if (is_there()) call c_resume()
    end subroutine

    function hybmon_is_recording()
        logical :: hybmon_is_recording

        hybmon_is_recording = .false.
        if (is_there()) hybmon_is_recording = c_is_recording() /= 0
    end function

    ! The name, place and role count the first time only.
    subroutine hybmon_region_begin(region, name, file, line, role)
        type(hybmon_region), intent(inout) :: region
        character(*), intent(in) :: name
        character(*), intent(in), optional :: file
        integer, intent(in), optional :: line, role

        if (.not. is_there()) return
        if (.not. c_associated(region%handle)) region%handle = named(name, file, line, role)
        call c_region_begin(region%handle)
    end subroutine

    function named(name, file, line, role)
        character(*), intent(in) :: name
        character(*), intent(in), optional :: file
        integer, intent(in), optional :: line, role
        type(c_ptr) :: named
        integer(c_int) :: c_line, c_role

        c_line = 0
        c_role = hybmon_role_function
        if (present(line)) c_line = int(line, c_int)
        if (present(role)) c_role = int(role, c_int)
        if (present(file)) then
            named = c_region_named(c_text(name), c_text(file), c_line, c_role)
        else
            named = c_region_named(c_text(name), c_text(''), c_line, c_role)
        end if
    end function

    subroutine hybmon_region_end(region)
        type(hybmon_region), intent(in) :: region

        if (is_there()) call c_region_end(region%handle)
    end subroutine

    subroutine hybmon_begin(name)
        character(*), intent(in) :: name

        if (is_there()) call c_begin(c_text(name))
    end subroutine

    subroutine hybmon_end()
        if (is_there()) call c_end()
    end subroutine

    subroutine parameter_int(name, value)
        character(*), intent(in) :: name
        integer(c_int32_t), intent(in) :: value

        if (is_there()) call c_parameter_int(c_text(name), int(value, c_int64_t))
    end subroutine

    subroutine parameter_long(name, value)
        character(*), intent(in) :: name
        integer(c_int64_t), intent(in) :: value

        if (is_there()) call c_parameter_int(c_text(name), value)
    end subroutine

    subroutine parameter_float(name, value)
        character(*), intent(in) :: name
        real(c_float), intent(in) :: value

        if (is_there()) call c_parameter_double(c_text(name), real(value, c_double))
    end subroutine

    subroutine parameter_double(name, value)
        character(*), intent(in) :: name
        real(c_double), intent(in) :: value

        if (is_there()) call c_parameter_double(c_text(name), value)
    end subroutine

    subroutine parameter_text(name, value)
        character(*), intent(in) :: name, value

        if (is_there()) call c_parameter_string(c_text(name), c_text(value))
    end subroutine

    ! Whether there is such a counter; makes it the first time.
    function has_counter(counter, name, unit, type, mode)
        type(hybmon_counter), intent(inout) :: counter
        character(*), intent(in) :: name
        character(*), intent(in), optional :: unit
        integer, intent(in) :: type
        integer, intent(in), optional :: mode
        logical :: has_counter
        integer(c_int) :: c_mode

        has_counter = is_there()
        if (.not. has_counter .or. counter%known) return
        c_mode = hybmon_counter_level
        if (present(mode)) c_mode = int(mode, c_int)
        if (present(unit)) then
            counter%handle = c_counter_named(c_text(name), c_text(unit), int(type, c_int), c_mode)
        else
            counter%handle = c_counter_named(c_text(name), c_text(''), int(type, c_int), c_mode)
        end if
        counter%known = c_associated(counter%handle)
    end function

    subroutine count_long(counter, value, name, unit, mode)
        type(hybmon_counter), intent(inout) :: counter
        integer(c_int64_t), intent(in) :: value
        character(*), intent(in) :: name
        character(*), intent(in), optional :: unit
        integer, intent(in), optional :: mode

        if (has_counter(counter, name, unit, hybmon_counter_int, mode)) &
            call c_counter_int(counter%handle, value)
    end subroutine

    subroutine count_int(counter, value, name, unit, mode)
        type(hybmon_counter), intent(inout) :: counter
        integer(c_int32_t), intent(in) :: value
        character(*), intent(in) :: name
        character(*), intent(in), optional :: unit
        integer, intent(in), optional :: mode

        call count_long(counter, int(value, c_int64_t), name, unit, mode)
    end subroutine

    subroutine count_double(counter, value, name, unit, mode)
        type(hybmon_counter), intent(inout) :: counter
        real(c_double), intent(in) :: value
        character(*), intent(in) :: name
        character(*), intent(in), optional :: unit
        integer, intent(in), optional :: mode

        if (has_counter(counter, name, unit, hybmon_counter_double, mode)) &
            call c_counter_double(counter%handle, value)
    end subroutine

    subroutine count_float(counter, value, name, unit, mode)
        type(hybmon_counter), intent(inout) :: counter
        real(c_float), intent(in) :: value
        character(*), intent(in) :: name
        character(*), intent(in), optional :: unit
        integer, intent(in), optional :: mode

        call count_double(counter, real(value, c_double), name, unit, mode)
    end subroutine
end module
