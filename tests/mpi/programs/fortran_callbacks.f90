! MPI calls of a callback: the deletion of an attribute, when its communicator is freed and in MPI_Finalize.
! tests/mpi/test_callbacks.py has the figures.
module callbacks
  use mpi
  implicit none
contains
  subroutine delete(comm, key, value, extra, error)
    integer :: comm, key, error
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    integer :: one, total
    one = 1
    call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine
end module

program main
  use callbacks
  implicit none
  integer :: error, key, comm
  integer(kind=MPI_ADDRESS_KIND) :: nothing
  nothing = 0
  call MPI_Init(error)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, key, nothing, error)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
  call MPI_Comm_set_attr(comm, key, nothing, error)
  call MPI_Comm_free(comm, error)
  call MPI_Comm_set_attr(MPI_COMM_SELF, key, nothing, error)
  call MPI_Finalize(error)
end program
