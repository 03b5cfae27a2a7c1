! MPI_M_reorder and MPI_M_redistribute of the module on four ranks, whose nodes are A B B A (pretend_nodes.c).
program reorder
  use mpi
  use MPI_Monitoring
  implicit none
  character(len=4), parameter :: nodes = "ABBA"
  integer :: ierror, rank, own, ranks, partner, session, better, k(4), i
  integer :: status(MPI_STATUS_SIZE)
  double precision :: block(2, 4), found(2, 4), received(2, 4)
  type(MPI_M_forecast) :: forecast

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call MPI_M_init(ierror)
  block = rank
  partner = ieor(rank, 1)
  call MPI_M_start(MPI_COMM_WORLD, session, ierror)
  call MPI_Sendrecv(block, 8, MPI_DOUBLE_PRECISION, partner, 0, received, 8, MPI_DOUBLE_PRECISION, partner, 0, &
                    MPI_COMM_WORLD, status, ierror)
  call MPI_M_reorder(session, MPI_COMM_WORLD, MPI_M_NO_MACHINE, better, k, ierror)
  call expect(ierror == MPI_M_SESSION_NOT_SUSPENDED .and. better == MPI_COMM_NULL, "not suspended")
  call MPI_M_suspend(session, ierror)
  call MPI_M_reorder(session, MPI_COMM_WORLD, "/no/machine.json", better, k, ierror)
  call expect(ierror == MPI_M_INVALID_MACHINE .and. better == MPI_COMM_NULL, "no machine")
  call MPI_M_reorder(session, MPI_COMM_WORLD, MPI_M_NO_MACHINE, better, k, ierror)
  call expect(ierror == MPI_SUCCESS, "reorder")
  call MPI_Comm_rank(better, own, ierror)
  call expect(own == k(rank + 1), "the rank that k says")
  ! Ranks 0 and 1 are on one node now.
  call expect(node_of(0) == node_of(1) .and. node_of(2) == node_of(3), "partners on one node")
  ! Rank r has 2 * r numbers for whom it concerns.
  found = -1
  call MPI_M_redistribute(block, 2 * rank, found, 8, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, k, ierror)
  call expect(ierror == MPI_SUCCESS, "redistribute")
  do i = 1, 4
    call expect(all(found(:, i) == merge(own, -1, i <= own)), "the block of the new rank")
  end do
  call MPI_M_redistribute(block, 1, found, 8, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, [0, 1, 1, 2], ierror)
  call expect(ierror == MPI_M_INVALID_ORDER, "no order")
  call MPI_Comm_free(better, ierror)
  call MPI_M_reorder(session, MPI_COMM_WORLD, MPI_M_NO_MACHINE, better, ierror=ierror)
  call expect(ierror == MPI_SUCCESS, "reorder without k")
  call MPI_Comm_rank(better, own, ierror)
  call expect(own == k(rank + 1), "the same rank without k")
  call MPI_Comm_free(better, ierror)
  ! Nothing is left of the run.
  forecast%repetitions = 0
  call MPI_M_reorder_if_profitable(session, MPI_COMM_WORLD, MPI_M_NO_MACHINE, forecast, better, k, ierror)
  call expect(ierror == MPI_SUCCESS .and. better == MPI_COMM_NULL .and. forecast%reordered == 0, "nothing is left")
  call expect(all(k == [0, 1, 2, 3]) .and. index(MPI_M_reason(forecast), "kept: ") == 1, "why the order stays")
  call MPI_M_reorder_if_profitable(session, MPI_COMM_WORLD, MPI_M_NO_MACHINE, forecast, better, ierror=ierror)
  call expect(ierror == MPI_SUCCESS, "without k")
  call MPI_M_free(session, ierror)
  call MPI_M_finalize(ierror)
  call MPI_Finalize(ierror)

contains

  character function node_of(new_rank)
    integer, intent(in) :: new_rank
    integer :: place
    do place = 1, 4
      if (k(place) == new_rank) node_of = nodes(place:place)
    end do
  end function

  subroutine expect(is_so, what)
    logical, intent(in) :: is_so
    character(len=*), intent(in) :: what
    integer :: code
    if (is_so) return
    print *, "rank", rank, ": not so: ", what
    call MPI_Abort(MPI_COMM_WORLD, 1, code)
  end subroutine

end program
