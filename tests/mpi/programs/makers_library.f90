! The part of the library that is in Fortran.
subroutine fortran_plan(comm)
  implicit none
  include 'mpif.h'
  integer :: comm, made, error
  call MPI_COMM_DUP(comm, made, error)
  call MPI_BARRIER(made, error)
end subroutine
