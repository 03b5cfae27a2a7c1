! A plugin in Fortran, in a program that is not: the binding comes with it, after MPI_Init.
subroutine plugin() bind(c)
  use mpi
  implicit none
  integer :: error
  character :: buffer(40)
  buffer = ' '
  call MPI_Bcast(buffer, 40, MPI_CHARACTER, 0, MPI_COMM_WORLD, error)
end subroutine
