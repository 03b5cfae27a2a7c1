! Puts 10 doubles to the right, between two fences, on 4 processes. tests/mpi/test_one_sided.py knows the bytes.
program fortran_one_sided
  use mpi
  implicit none
  integer :: ierror, rank, ranks, win, right
  integer(kind=MPI_ADDRESS_KIND) :: bytes, place
  double precision :: own(10), data(10)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  right = mod(rank + 1, ranks)
  own = 0
  data = rank
  bytes = 80
  place = 0
  call MPI_Win_create(own, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
  call MPI_Win_fence(0, win, ierror)
  call MPI_Put(data, 10, MPI_DOUBLE_PRECISION, right, place, 10, MPI_DOUBLE_PRECISION, win, ierror)
  call MPI_Put(data, 10, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, place, 10, MPI_DOUBLE_PRECISION, win, ierror)
  call MPI_Win_fence(0, win, ierror)
  if (own(10) /= mod(rank + ranks - 1, ranks)) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  call MPI_Win_free(win, ierror)
  call MPI_Finalize(ierror)
end program fortran_one_sided
