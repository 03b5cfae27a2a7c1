! A session on the even ranks, one on the odd: they also see messages between their processes on MPI_COMM_WORLD.
! As even_odd.c.
program even_odd
  use mpi
  use MPI_Monitoring
  implicit none
  character(4) :: parity(0:1) = ["even", "odd "]
  integer :: rank, ranks, half, half_size, session, distance, ierror
  integer :: mine = 0, received
  integer(MPI_M_DATA_KIND), allocatable :: messages(:)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierror)
  call MPI_Comm_size(half, half_size, ierror)

  call MPI_M_init(ierror)
  call MPI_M_start(half, session, ierror)
  do distance = 1, 2
    call MPI_Sendrecv(mine, 1, MPI_INTEGER, mod(rank + distance, ranks), 0, received, 1, MPI_INTEGER, &
                      mod(rank + ranks - distance, ranks), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end do
  call MPI_M_suspend(session, ierror)

  ! The message to the next rank goes to the other half. The message to the next but one stays.
  allocate(messages(half_size))
  call MPI_M_get_data(session, messages, MPI_M_DATA_IGNORE, MPI_M_USER_ONLY, ierror)
  print '(A,I0,3A,*(1X,I0))', "rank ", rank, " to the ", trim(parity(mod(rank, 2))), " ranks:", messages
  call MPI_M_free(session, ierror)
  call MPI_M_finalize(ierror)
  call MPI_Comm_free(half, ierror)
  call MPI_Finalize(ierror)
end program
