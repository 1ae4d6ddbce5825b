! product.f90 -- two matrices that a program has, multiplied on four ranks, in Fortran
!
! Prints what it cost; ends with 1 if it is wrong.
program product
    use aslant
    use, intrinsic :: iso_c_binding
    implicit none
    integer, parameter :: m = 30, n = 20, k = 40
    real(c_double), target :: a(m, k), b(k, n), c(m, n)
    type(aslant_task) :: task
    integer :: err, i
    real(c_double) :: words

    a = reshape([(real(mod(i, 17), c_double), i = 1, m * k)], [m, k])
    b = reshape([(real(mod(i, 13) - 5, c_double), i = 1, k * n)], [k, n])
    call task%open("em-jomma", err)
    if (err == 0) call task%set("ranks", "4", err)
    if (err == 0) call task%set("store", "dram", err)
    if (err == 0) call task%operand(0, a, err)
    if (err == 0) call task%operand(1, b, err)
    if (err == 0) call task%result(c, err)
    if (err == 0) call task%run(err)
    if (err /= 0) then
        print *, aslant_why()
        stop 1
    end if
    words = task%number("bh_words_max", err)
    print "(4a, i0, a)", task%text("algorithm"), " on a grid of ", task%text("grid"), ": ", &
        int(words), " words between ranks, right"
    if (any(c /= matmul(a, b))) stop 1
    call task%set("foo", "1", err)
    if (err /= 2 .or. index(aslant_why(), "foo") == 0) stop 1
    call task%close()
end program
