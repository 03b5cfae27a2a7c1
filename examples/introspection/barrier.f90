! How is MPI_Barrier built? As barrier.c.
program barrier
  use mpi
  use MPI_Monitoring
  implicit none
  integer :: rank, ranks, session, from, ierror
  integer(MPI_M_DATA_KIND), allocatable :: messages(:, :)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  allocate(messages(ranks, ranks))

  call MPI_M_init(ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)  ! the first one may include setup messages
  call MPI_M_start(MPI_COMM_WORLD, session, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_M_suspend(session, ierror)
  ! Row-major: a line of the matrix is a column in Fortran.
  call MPI_M_rootgather_data(session, 0, messages, MPI_M_DATA_IGNORE, MPI_M_P2P_ONLY, ierror)
  call MPI_M_free(session, ierror)
  call MPI_M_finalize(ierror)

  if (rank == 0) then
    print '(A)', "messages of one MPI_Barrier, a line for each sender"
    do from = 1, ranks
      print '(*(I4))', messages(:, from)
    end do
  end if
  call MPI_Finalize(ierror)
end program
