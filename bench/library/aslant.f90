! aslant.f90 -- aslant.h for Fortran 2008: a task, its operands, and its rows
!
!    call task%open("em-jomma", err)
!    call task%set("ranks", "4", err)
!    call task%operand(0, A, err)
!    call task%operand(1, B, err)
!    call task%result(C, err)
!    call task%run(err)
!    if (err /= 0) print *, aslant_why()
!    words = task%number("bh_words_max", err)
!    call task%close()
!
! Arrays are real(c_double), contiguous, by columns as Fortran has them; a result must
! stay where it is (target) until run has returned.  err is one of enum asl_exit.
module aslant
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: aslant_task, aslant_why, aslant_version

    type :: aslant_task
        type(c_ptr), private :: it = c_null_ptr
    contains
        procedure :: open => open_task
        procedure :: close => close_task
        procedure :: set => set_option
        procedure :: operand_1, operand_2, operand_3, result_1, result_2
        generic :: operand => operand_1, operand_2, operand_3
        generic :: result => result_1, result_2
        procedure :: communicator => set_communicator
        procedure :: run => run_task
        procedure :: plan => plan_task
        procedure :: bounds => bounds_task
        procedure :: rows => rows_of
        procedure :: number => number_at
        procedure :: text => text_at
    end type

    interface
        function asl_task_open(out, algorithm) bind(c) result(code)
            import
            type(c_ptr), intent(out) :: out
            character(kind=c_char), intent(in) :: algorithm(*)
            integer(c_int) :: code
        end function
        subroutine asl_task_close(it) bind(c)
            import
            type(c_ptr), value :: it
        end subroutine
        function asl_task_set(it, option, value) bind(c) result(code)
            import
            type(c_ptr), value :: it
            character(kind=c_char), intent(in) :: option(*)
            type(c_ptr), value :: value
            integer(c_int) :: code
        end function
        function asl_task_operand(it, which, at, dims, sizes, steps) bind(c) result(code)
            import
            type(c_ptr), value :: it, at
            integer(c_int), value :: which, dims
            integer(c_int64_t), intent(in) :: sizes(*), steps(*)
            integer(c_int) :: code
        end function
        function asl_task_result(it, at, dims, sizes, steps) bind(c) result(code)
            import
            type(c_ptr), value :: it, at
            integer(c_int), value :: dims
            integer(c_int64_t), intent(in) :: sizes(*), steps(*)
            integer(c_int) :: code
        end function
        function asl_task_communicator(it, comm) bind(c) result(code)
            import
            type(c_ptr), value :: it
            integer(c_int), value :: comm
            integer(c_int) :: code
        end function
        function asl_task_run(it) bind(c) result(code)
            import
            type(c_ptr), value :: it
            integer(c_int) :: code
        end function
        function asl_task_plan(it) bind(c) result(code)
            import
            type(c_ptr), value :: it
            integer(c_int) :: code
        end function
        function asl_task_bounds(it) bind(c) result(code)
            import
            type(c_ptr), value :: it
            integer(c_int) :: code
        end function
        function asl_task_rows(it) bind(c) result(count)
            import
            type(c_ptr), value :: it
            integer(c_int) :: count
        end function
        function asl_task_number(it, row, column, out) bind(c) result(code)
            import
            type(c_ptr), value :: it
            integer(c_int), value :: row
            character(kind=c_char), intent(in) :: column(*)
            real(c_double), intent(out) :: out
            integer(c_int) :: code
        end function
        function asl_task_text(it, row, column) bind(c) result(text)
            import
            type(c_ptr), value :: it
            integer(c_int), value :: row
            character(kind=c_char), intent(in) :: column(*)
            type(c_ptr) :: text
        end function
        function asl_why() bind(c) result(text)
            import
            type(c_ptr) :: text
        end function
        function asl_version() bind(c) result(text)
            import
            type(c_ptr) :: text
        end function
        function strlen(text) bind(c) result(length)
            import
            type(c_ptr), value :: text
            integer(c_size_t) :: length
        end function
    end interface
contains
    function to_fortran(text) result(out)
        type(c_ptr), intent(in) :: text
        character(:), allocatable :: out
        character(kind=c_char), pointer :: at(:)
        integer :: i

        out = ""
        if (.not. c_associated(text)) return
        call c_f_pointer(text, at, [strlen(text)])
        out = repeat(" ", size(at))
        do i = 1, size(at)
            out(i:i) = at(i)
        end do
    end function

    function aslant_why() result(out)
        character(:), allocatable :: out
        out = to_fortran(asl_why())
    end function

    function aslant_version() result(out)
        character(:), allocatable :: out
        out = to_fortran(asl_version())
    end function

    subroutine open_task(self, algorithm, err)
        class(aslant_task), intent(inout) :: self
        character(*), intent(in) :: algorithm
        integer, intent(out) :: err
        err = asl_task_open(self%it, trim(algorithm) // c_null_char)
    end subroutine

    subroutine close_task(self)
        class(aslant_task), intent(inout) :: self
        call asl_task_close(self%it)
        self%it = c_null_ptr
    end subroutine

    ! An option without dashes; of a flag the value is empty.
    subroutine set_option(self, option, value, err)
        class(aslant_task), intent(in) :: self
        character(*), intent(in) :: option, value
        integer, intent(out) :: err
        character(len(value) + 1, kind=c_char), target :: copy
        type(c_ptr) :: at

        copy = trim(value) // c_null_char
        at = c_null_ptr
        if (len_trim(value) > 0) at = c_loc(copy)
        err = asl_task_set(self%it, trim(option) // c_null_char, at)
    end subroutine

    ! By columns: from one entry to the next it is the first index that grows.
    function steps_of(sizes) result(steps)
        integer(c_int64_t), intent(in) :: sizes(:)
        integer(c_int64_t) :: steps(size(sizes))
        integer :: i

        steps(1) = 1
        do i = 2, size(sizes)
            steps(i) = steps(i - 1) * sizes(i - 1)
        end do
    end function

    function give(self, which, at, sizes) result(err)
        class(aslant_task), intent(in) :: self
        integer, intent(in) :: which
        type(c_ptr), intent(in) :: at
        integer(c_int64_t), intent(in) :: sizes(:)
        integer :: err

        if (which < 0) then
            err = asl_task_result(self%it, at, size(sizes), sizes, steps_of(sizes))
        else
            err = asl_task_operand(self%it, which, at, size(sizes), sizes, &
                           steps_of(sizes))
        end if
    end function

    subroutine operand_1(self, which, x, err)
        class(aslant_task), intent(in) :: self
        integer, intent(in) :: which
        real(c_double), intent(in), contiguous, target :: x(:)
        integer, intent(out) :: err
        err = give(self, which, c_loc(x), shape(x, c_int64_t))
    end subroutine

    subroutine operand_2(self, which, x, err)
        class(aslant_task), intent(in) :: self
        integer, intent(in) :: which
        real(c_double), intent(in), contiguous, target :: x(:, :)
        integer, intent(out) :: err
        err = give(self, which, c_loc(x), shape(x, c_int64_t))
    end subroutine

    ! A symmetric tensor is by rows and by columns alike.
    subroutine operand_3(self, which, x, err)
        class(aslant_task), intent(in) :: self
        integer, intent(in) :: which
        real(c_double), intent(in), contiguous, target :: x(:, :, :)
        integer, intent(out) :: err
        integer(c_int64_t) :: n(3)

        n = shape(x, c_int64_t)
        if (n(1) == n(2) .and. n(2) == n(3)) then
            err = asl_task_operand(self%it, which, c_loc(x), 3, n, &
                           [n(1) * n(1), n(1), 1_c_int64_t])
        else
            err = give(self, which, c_loc(x), n)
        end if
    end subroutine

    subroutine result_1(self, x, err)
        class(aslant_task), intent(in) :: self
        real(c_double), intent(inout), contiguous, target :: x(:)
        integer, intent(out) :: err
        err = give(self, -1, c_loc(x), shape(x, c_int64_t))
    end subroutine

    subroutine result_2(self, x, err)
        class(aslant_task), intent(in) :: self
        real(c_double), intent(inout), contiguous, target :: x(:, :)
        integer, intent(out) :: err
        err = give(self, -1, c_loc(x), shape(x, c_int64_t))
    end subroutine

    subroutine set_communicator(self, comm, err)
        class(aslant_task), intent(in) :: self
        integer, intent(in) :: comm
        integer, intent(out) :: err
        err = asl_task_communicator(self%it, comm)
    end subroutine

    subroutine run_task(self, err)
        class(aslant_task), intent(in) :: self
        integer, intent(out) :: err
        err = asl_task_run(self%it)
    end subroutine

    subroutine plan_task(self, err)
        class(aslant_task), intent(in) :: self
        integer, intent(out) :: err
        err = asl_task_plan(self%it)
    end subroutine

    subroutine bounds_task(self, err)
        class(aslant_task), intent(in) :: self
        integer, intent(out) :: err
        err = asl_task_bounds(self%it)
    end subroutine

    function rows_of(self) result(count)
        class(aslant_task), intent(in) :: self
        integer :: count
        count = asl_task_rows(self%it)
    end function

    ! Of a row, from 1 on (1 if it is not given).
    function number_at(self, column, err, row) result(x)
        class(aslant_task), intent(in) :: self
        character(*), intent(in) :: column
        integer, intent(out) :: err
        integer, intent(in), optional :: row
        real(c_double) :: x
        integer :: at

        at = 1
        if (present(row)) at = row
        err = asl_task_number(self%it, at - 1, trim(column) // c_null_char, x)
    end function

    function text_at(self, column, row) result(out)
        class(aslant_task), intent(in) :: self
        character(*), intent(in) :: column
        integer, intent(in), optional :: row
        character(:), allocatable :: out
        integer :: at

        at = 1
        if (present(row)) at = row
        out = to_fortran(asl_task_text(self%it, at - 1, trim(column) // c_null_char))
    end function
end module
