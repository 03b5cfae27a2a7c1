! Reductions whose handles and sentinels are Fortran's, on a communicator for each case. tests/mpi/test_traits_of_calls.py knows
! what each has had.
program traits
  use mpi
  implicit none
  integer :: comm, error, op, whole(2), whole_sum(2)
  double precision :: fraction(2), fraction_sum(2)
  external :: keep_second

  call MPI_Init(error)
  whole = 1
  fraction = 1

  call make('whole')
  call MPI_Allreduce(whole, whole_sum, 2, MPI_INTEGER, MPI_SUM, comm, error)

  call make('fraction')
  call MPI_Allreduce(fraction, fraction_sum, 2, MPI_DOUBLE_PRECISION, MPI_SUM, comm, error)

  call make('exact')
  call MPI_Allreduce(fraction, fraction_sum, 2, MPI_DOUBLE_PRECISION, MPI_MAX, comm, error)

  call make('in place')
  call MPI_Allreduce(MPI_IN_PLACE, whole, 2, MPI_INTEGER, MPI_SUM, comm, error)

  call MPI_Op_create(keep_second, .false., op, error)
  call make('not commutative')
  call MPI_Allreduce(whole, whole_sum, 2, MPI_INTEGER, op, comm, error)
  call MPI_Op_free(op, error)

  call MPI_Op_create(keep_second, .true., op, error)
  call make('commutes')
  call MPI_Allreduce(whole, whole_sum, 2, MPI_INTEGER, op, comm, error)
  call MPI_Op_free(op, error)

  call MPI_Finalize(error)

contains

  subroutine make(name)
    character(len=*), intent(in) :: name
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
    call MPI_Comm_set_name(comm, name, error)
  end subroutine make
end program traits

subroutine keep_second(operands, result, count, datatype)
  implicit none
  integer :: count, datatype, operands(count), result(count)
  result = result
end subroutine keep_second
