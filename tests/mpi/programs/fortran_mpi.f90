! The binding of `use mpi`. tests/mpi/test_fortran.py knows each count and byte; fortran_mpifh.f90 and
! fortran_mpi_f08.f90 are the same program.
program fortran_mpi
  use mpi
  implicit none
  integer, parameter :: n = 1000
  integer :: ierror, rank, ranks, next, previous, i
  integer :: requests(4)
  integer :: status(MPI_STATUS_SIZE)
  integer :: half, grid, rows, copy
  integer :: at_address
  integer(kind=MPI_ADDRESS_KIND) :: address
  double precision :: mine(n), theirs(n), other(n), total(3)
  integer :: numbers(7)
  character(len=8) :: what
  logical :: periods(2), remain(2)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  mine = [(sqrt(dble(i + rank)), i = 1, n)]
  theirs = 0
  other = 0
  numbers = 0

  ! Rank r sends 100 + r doubles and 10 integers round the ring.
  call MPI_Irecv(theirs, n, MPI_DOUBLE_PRECISION, previous, 1, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Irecv(other, n, MPI_DOUBLE_PRECISION, next, 2, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_Isend(mine, 100 + rank, MPI_DOUBLE_PRECISION, next, 1, MPI_COMM_WORLD, requests(3), ierror)
  call MPI_Isend(mine, 10, MPI_DOUBLE_PRECISION, previous, 2, MPI_COMM_WORLD, requests(4), ierror)
  call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierror)
  call tell('ring', sum(theirs) + sum(other))

  ! Once with a status that is looked at, once without.
  call MPI_Sendrecv(mine, 20 + rank, MPI_DOUBLE_PRECISION, next, 3, theirs, n, MPI_DOUBLE_PRECISION, previous, 3, &
                    MPI_COMM_WORLD, status, ierror)
  call MPI_Get_count(status, MPI_DOUBLE_PRECISION, i, ierror)
  call tell('status', dble(1000 * i + 10 * status(MPI_SOURCE) + status(MPI_TAG)))
  call MPI_Sendrecv(mine, 5, MPI_DOUBLE_PRECISION, previous, 4, theirs, n, MPI_DOUBLE_PRECISION, next, 4, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call tell('sendrecv', sum(theirs))

  if (rank == 1) numbers = [(i * i, i = 1, 7)]
  call MPI_Bcast(numbers(1), 7, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
  call tell('bcast', dble(sum(numbers)))

  total = mine(1:3)
  call MPI_Allreduce(MPI_IN_PLACE, total, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  call tell('allreduce', sum(total))

  ! 25 doubles of `mine`, wherever it is.
  call MPI_Get_address(mine, address, ierror)
  call MPI_Type_create_hindexed(1, [25], [address], MPI_DOUBLE_PRECISION, at_address, ierror)
  call MPI_Type_commit(at_address, ierror)
  if (rank == 0) call MPI_Send(MPI_BOTTOM, 1, at_address, next, 5, MPI_COMM_WORLD, ierror)
  if (rank == 1) call MPI_Recv(MPI_BOTTOM, 1, at_address, previous, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call tell('bottom', sum(mine))
  call MPI_Bcast(MPI_BOTTOM, 1, at_address, 0, MPI_COMM_WORLD, ierror)
  call tell('bottom bcast', sum(mine))
  call MPI_Type_free(at_address, ierror)

  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, ierror)
  call MPI_Comm_set_name(half, 'half of all', ierror)
  call MPI_Allreduce(MPI_IN_PLACE, total, 2, MPI_DOUBLE_PRECISION, MPI_MAX, half, ierror)
  call tell('half', sum(total))

  periods = [.true., .false.]
  remain = [.false., .true.]
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [2, 2], periods, .false., grid, ierror)
  call MPI_Cart_sub(grid, remain, rows, ierror)
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, rows, ierror)
  call tell('row', sum(total))

  call MPI_Comm_dup(grid, copy, ierror)
  call MPI_Barrier(copy, ierror)
  call MPI_Pcontrol(0)
  call MPI_Barrier(copy, ierror)
  call MPI_Ssend(mine, 1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 6, MPI_COMM_WORLD, ierror)
  call MPI_Pcontrol(1)
  call MPI_Barrier(copy, ierror)
  call MPI_Comm_free(copy, ierror)
  call MPI_Comm_free(rows, ierror)
  call get_command_argument(1, what)
  if (what == 'idup') call duplicate_later
  call MPI_Finalize(ierror)

contains

  ! The duplicate is there when another call returns; nothing of the first is on the stack any more.
  subroutine duplicate_later
    integer :: later
    call MPI_Comm_idup(MPI_COMM_WORLD, later, requests(1), ierror)
    call tell('between', dble(rank))
    call MPI_Waitall(1, requests, MPI_STATUSES_IGNORE, ierror)
    call MPI_Allreduce(MPI_IN_PLACE, total, 3, MPI_DOUBLE_PRECISION, MPI_MIN, later, ierror)
    call tell('later', sum(total))
    call MPI_Comm_free(later, ierror)
  end subroutine duplicate_later

  ! All bits, so that a run with Rankwise can be compared with one without.
  subroutine tell(what, value)
    character(len=*), intent(in) :: what
    double precision, intent(in) :: value
    character(len=80) :: line
    write (line, '(i0, 1x, a, 1x, z16.16)') rank, what, transfer(value, 0_8)
    write (*, '(a)') trim(line)
    flush (6)
  end subroutine tell
end program fortran_mpi
