! Communicators made in Fortran (mpif.h), by the program and by a library.
program makers
  implicit none
  include 'mpif.h'
  integer :: error, rank, own, half, grid, again
  logical :: periodic(1)
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_DUP(MPI_COMM_WORLD, own, error)
  call MPI_COMM_SPLIT(own, mod(rank, 2), rank, half, error)
  periodic(1) = .false.
  call MPI_CART_CREATE(MPI_COMM_WORLD, 1, (/ 4 /), periodic, .false., grid, error)
  call PMPI_COMM_DUP(grid, again, error)
  call library_from_fortran(MPI_COMM_WORLD)
  call fortran_plan(MPI_COMM_WORLD)
  call MPI_FINALIZE(error)
end program
