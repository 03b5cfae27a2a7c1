! The module MPI_Monitoring with `use mpi`: all its subroutines once, and what they count.
program introspection
  use mpi
  use MPI_Monitoring
  implicit none
  integer :: ierror, rank, ranks, next, before, session, half, part, n, provided, i, visible
  integer :: status(MPI_STATUS_SIZE), numbers(4), received(4)
  integer(MPI_M_DATA_KIND), allocatable :: counts(:), sizes(:), matrix(:)
  integer(MPI_M_DATA_KIND) :: calls(1), sent(1)
  double precision :: seconds

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  numbers = rank

  call MPI_M_start(MPI_COMM_WORLD, session, ierror)
  call expect(ierror == MPI_M_MISSING_INIT, "missing init")
  call MPI_M_init(ierror)
  call expect(ierror == MPI_SUCCESS, "init")
  call MPI_M_start(MPI_COMM_WORLD, session, ierror)
  call expect(ierror == MPI_SUCCESS, "start")
  do i = 1, 3
    call MPI_Sendrecv(numbers, 4, MPI_INTEGER, next, 0, received, 4, MPI_INTEGER, before, 0, MPI_COMM_WORLD, status, &
                      ierror)
  end do
  call MPI_Bcast(numbers, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call MPI_M_get_data(session, MPI_M_DATA_IGNORE, MPI_M_DATA_IGNORE, MPI_M_ALL_COMM, ierror)
  call expect(ierror == MPI_M_SESSION_NOT_SUSPENDED, "not suspended")
  call MPI_M_suspend(session, ierror)
  call MPI_M_get_info(session, provided, MPI_M_INT_IGNORE, ierror)
  call expect(ierror == MPI_SUCCESS .and. provided == MPI_THREAD_SINGLE, "thread level")
  call MPI_M_get_info(session, MPI_M_INT_IGNORE, n, ierror)
  call expect(n == ranks, "size")
  call MPI_M_get_visible(session, visible, ierror)
  call expect(ierror == MPI_SUCCESS .and. visible >= MPI_M_VISIBLE_NONE .and. visible <= MPI_M_VISIBLE_ALL, "visible")
  call MPI_M_get_data(session, MPI_M_DATA_IGNORE, MPI_M_DATA_IGNORE, MPI_M_INSIDE_ONLY, ierror)
  call expect(ierror == merge(MPI_M_NOT_VISIBLE, MPI_SUCCESS, visible == MPI_M_VISIBLE_NONE), "not visible")
  allocate(counts(0:n-1), sizes(0:n-1), matrix(0:n*n-1))
  call MPI_M_get_data(session, counts, sizes, MPI_M_USER_ONLY, ierror)
  call expect(sum(counts) == 3 .and. counts(next) == 3 .and. sizes(next) == 48, "user's messages")
  call MPI_M_get_data(session, counts, MPI_M_DATA_IGNORE, MPI_M_COLL_ONLY, ierror)
  call expect(sum(counts) == merge(n - 1, 0, rank == 0), "logical messages")
  call MPI_M_allgather_data(session, matrix, MPI_M_DATA_IGNORE, MPI_M_USER_ONLY, ierror)
  call expect(sum(matrix) == 3 * n .and. matrix(rank * n + next) == 3, "matrix")
  call MPI_M_rootgather_data(session, 1, MPI_M_DATA_IGNORE, matrix, MPI_M_USER_ONLY, ierror)
  call expect(ierror == MPI_SUCCESS, "gather")
  if (rank == 1) call expect(sum(matrix) == 48 * n, "matrix of sizes")
  call MPI_M_rootgather_data(session, n, matrix, matrix, MPI_M_USER_ONLY, ierror)
  call expect(ierror == MPI_M_INVALID_ROOT, "root")
  call MPI_M_flush(session, "fortran   ", MPI_M_USER_ONLY, ierror)
  call expect(ierror == MPI_SUCCESS, "flush")
  call MPI_M_rootflush(session, 0, "fortran", MPI_M_USER_ONLY, ierror)
  call expect(ierror == MPI_SUCCESS, "rootflush")
  call MPI_M_continue(session, ierror)
  call MPI_M_suspend(MPI_M_ALL_MSID, ierror)
  call MPI_M_reset(session, ierror)
  call MPI_M_get_data(session, counts, sizes, MPI_M_ALL_COMM, ierror)
  call expect(sum(counts) == 0, "reset")
  call MPI_M_free(session, ierror)
  call MPI_M_free(session, ierror)
  call expect(ierror == MPI_M_INVALID_MSID, "freed")

  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierror)
  call MPI_M_start(half, part, ierror)
  call MPI_M_get_info(part, MPI_M_INT_IGNORE, n, ierror)
  call expect(n == ranks / 2, "size of a part")
  call MPI_M_suspend(part, ierror)
  call MPI_M_get_comm_time(MPI_COMM_WORLD, "MPI_Bcast", seconds, ierror)
  call expect(ierror == MPI_SUCCESS .and. seconds > 0, "time")
  call MPI_M_get_comm_data(MPI_COMM_WORLD, "MPI_Sendrecv", calls, sent, MPI_M_DATA_IGNORE, ierror)
  call expect(calls(1) == 3 .and. sent(1) == 48, "calls")
  call MPI_M_finalize(ierror)
  call expect(ierror == MPI_SUCCESS, "finalize")
  call MPI_Finalize(ierror)

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (.not. holds) then
      print *, "rank", rank, "not so: ", what
      error stop 1
    end if
  end subroutine
end program
