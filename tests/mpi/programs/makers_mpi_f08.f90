! Communicators made in Fortran (use mpi_f08), by the program and by a library.
program makers
  use mpi_f08
  implicit none
  type(MPI_Comm) :: own, half, grid, again
  integer :: rank
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_dup(MPI_COMM_WORLD, own)
  call MPI_Comm_split(own, mod(rank, 2), rank, half)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [4], [.false.], .false., grid)
  call MPI_Comm_dup(grid, again)
  call library_from_fortran(MPI_COMM_WORLD%MPI_VAL)
  call fortran_plan(MPI_COMM_WORLD%MPI_VAL)
  call MPI_Finalize()
end program
