! The module MPI_Monitoring with `use mpi_f08`.
program introspection_f08
  use mpi_f08
  use MPI_Monitoring
  implicit none
  type(MPI_Comm) :: copy
  integer :: rank, ranks, session, ierror, number
  integer(MPI_M_DATA_KIND), allocatable :: counts(:), sizes(:)

  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, copy)
  call MPI_Comm_rank(copy, rank)
  call MPI_Comm_size(copy, ranks)
  allocate(counts(0:ranks-1), sizes(0:ranks-1))
  number = rank
  call MPI_M_init(ierror)
  call MPI_M_start(copy%MPI_VAL, session, ierror)
  if (rank == 0) call MPI_Send(number, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
  if (rank == 1) call MPI_Recv(number, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_M_suspend(session, ierror)
  call MPI_M_get_data(session, counts, sizes, MPI_M_USER_ONLY, ierror)
  if (sum(counts) /= merge(1, 0, rank == 0) .or. sum(sizes) /= merge(4, 0, rank == 0)) error stop 1
  call MPI_M_finalize(ierror)
  call MPI_Comm_free(copy)
  call MPI_Finalize()
end program
