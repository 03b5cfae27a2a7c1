! Two sessions distinguish two collectives that follow each other directly. As two_sessions.c.
program two_sessions
  use mpi
  use MPI_Monitoring
  implicit none
  integer, parameter :: count = 1000
  double precision :: values(count) = 0, sums(count)
  integer :: rank, ranks, broadcast, reduction, ierror

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call MPI_M_init(ierror)

  call MPI_M_start(MPI_COMM_WORLD, broadcast, ierror)
  call MPI_Bcast(values, count, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
  call MPI_M_suspend(broadcast, ierror)

  call MPI_M_start(MPI_COMM_WORLD, reduction, ierror)
  call MPI_Allreduce(values, sums, count, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_M_suspend(reduction, ierror)

  print '(A,I0,4(A,I0),A)', "rank ", rank, " sends inside MPI_Bcast ", total(broadcast, MPI_M_INSIDE_ONLY), &
    " bytes (by definition ", total(broadcast, MPI_M_COLL_ONLY), "), inside MPI_Allreduce ", &
    total(reduction, MPI_M_INSIDE_ONLY), " (by definition ", total(reduction, MPI_M_COLL_ONLY), ")"
  call MPI_M_free(MPI_M_ALL_MSID, ierror)
  call MPI_M_finalize(ierror)
  call MPI_Finalize(ierror)

contains

  integer(MPI_M_DATA_KIND) function total(session, flags)
    integer, intent(in) :: session, flags
    integer(MPI_M_DATA_KIND) :: bytes(ranks)
    call MPI_M_get_data(session, MPI_M_DATA_IGNORE, bytes, flags, ierror)
    total = -1  ! if these messages are not visible
    if (ierror == MPI_SUCCESS) total = sum(bytes)
  end function
end program
