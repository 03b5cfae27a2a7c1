! The heat equation on the unit square, solved with MPI from Fortran 2008: heat.c in another language. The
! method is described there; the two print the same numbers. Regions are left out here: MPI_Pcontrol takes
! no name in Fortran.
!
!     mpirun -n 4 ./heat_f08 [N] [STEPS] [--imbalance F]

module heat
  use, intrinsic :: iso_fortran_env, only: dp => real64, error_unit
  use mpi_f08
  implicit none

  real(dp), parameter :: pi = 3.14159265358979323846_dp
  real(dp), parameter :: end_time = 0.05_dp  ! the mode has then decayed to about 1/12
  integer, parameter :: check_every = 10     ! steps between two checks of the change

  ! One direction's line solves: which lines this process gets, and how the transposition cuts the blocks.
  type :: sweep
    type(MPI_Comm) :: comm                    ! the processes that share the lines
    integer :: processes, lines, length       ! the block: so many lines, so long a piece of each
    integer :: mine                           ! complete lines that this process solves
    integer, allocatable :: out_count(:), out_at(:), in_count(:), in_at(:)  ! to and from each process
    integer, allocatable :: piece(:), piece_at(:)                           ! of a line, at each process
    real(dp), allocatable :: block(:, :), parts(:), whole(:, :), solved(:, :)
  end type

contains

  ! Part `i` of `n` things divided over `parts`: the first mod(n, parts) parts get one more.
  elemental integer function share(n, parts, i)
    integer, intent(in) :: n, parts, i
    share = n / parts + merge(1, 0, i < mod(n, parts))
  end function

  elemental integer function share_start(n, parts, i)
    integer, intent(in) :: n, parts, i
    share_start = i * (n / parts) + min(i, mod(n, parts))
  end function

  elemental real(dp) function mode(row, col, h)
    integer, intent(in) :: row, col
    real(dp), intent(in) :: h
    mode = sin(2 * pi * row * h) * sin(pi * col * h)
  end function

  ! u(x, y): a row of the field is contiguous, a column is not, hence the vector type. Beyond the square there
  ! is MPI_PROC_NULL, and the halo there keeps the zeros of the boundary condition.
  subroutine exchange_halo(u, cols, rows, dim, grid, column)
    integer, intent(in) :: cols, rows, dim
    real(dp), asynchronous, intent(inout) :: u(0:cols + 1, 0:rows + 1)
    type(MPI_Comm), intent(in) :: grid
    type(MPI_Datatype), intent(in) :: column
    type(MPI_Request) :: requests(4)
    integer :: before, after

    call MPI_Cart_shift(grid, dim, 1, before, after)
    if (dim == 0) then
      call MPI_Irecv(u(1, 0), cols, MPI_DOUBLE_PRECISION, before, 0, grid, requests(1))
      call MPI_Irecv(u(1, rows + 1), cols, MPI_DOUBLE_PRECISION, after, 1, grid, requests(2))
      call MPI_Isend(u(1, rows), cols, MPI_DOUBLE_PRECISION, after, 0, grid, requests(3))
      call MPI_Isend(u(1, 1), cols, MPI_DOUBLE_PRECISION, before, 1, grid, requests(4))
    else
      call MPI_Irecv(u(0, 1), 1, column, before, 0, grid, requests(1))
      call MPI_Irecv(u(cols + 1, 1), 1, column, after, 1, grid, requests(2))
      call MPI_Isend(u(cols, 1), 1, column, after, 0, grid, requests(3))
      call MPI_Isend(u(1, 1), 1, column, before, 1, grid, requests(4))
    end if
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
  end subroutine

  function new_sweep(comm, n, lines, length) result(s)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: n, lines, length
    type(sweep) :: s
    integer :: rank, p
    integer, allocatable :: each(:)

    call MPI_Comm_rank(comm, rank)
    call MPI_Comm_size(comm, s%processes)
    s%comm = comm
    s%lines = lines
    s%length = length
    s%mine = share(lines, s%processes, rank)
    allocate (each, source=[(p, p=0, s%processes - 1)])
    s%piece = share(n, s%processes, each)
    s%piece_at = share_start(n, s%processes, each)
    s%out_count = share(lines, s%processes, each) * length  ! the other's lines, my piece of each
    s%out_at = share_start(lines, s%processes, each) * length
    s%in_count = s%mine * s%piece                           ! my lines, the other's piece of each
    s%in_at = s%mine * s%piece_at
    allocate (s%block(length, lines), s%parts(s%mine * n), s%whole(n, s%mine), s%solved(n, s%mine))
  end function

  ! One half step: explicit across the lines, implicit along them. Returns the largest change of a value.
  ! A line done twice changes nothing: that is how work > 1 makes a process slower and no result different.
  real(dp) function half_step(u, cols, rows, s, dim, grid, column, n, r, pivot, work)
    integer, intent(in) :: cols, rows, dim, n
    real(dp), intent(inout) :: u(0:cols + 1, 0:rows + 1)
    type(sweep), intent(inout) :: s
    type(MPI_Comm), intent(in) :: grid
    type(MPI_Datatype), intent(in) :: column
    real(dp), intent(in) :: r, pivot(n), work
    integer :: turn, line, k, p, at

    call exchange_halo(u, cols, rows, dim, grid, column)

    do turn = 0, int(work * s%lines) - 1
      line = 1 + mod(turn, s%lines)
      if (dim == 0) then
        s%block(:, line) = (1 - 2 * r) * u(1:cols, line) + r * (u(1:cols, line - 1) + u(1:cols, line + 1))
      else
        s%block(:, line) = (1 - 2 * r) * u(line, 1:rows) + r * (u(line - 1, 1:rows) + u(line + 1, 1:rows))
      end if
    end do

    call MPI_Alltoallv(s%block, s%out_count, s%out_at, MPI_DOUBLE_PRECISION, &
                       s%parts, s%in_count, s%in_at, MPI_DOUBLE_PRECISION, s%comm)
    ! Each process sent its piece of every line of mine: put the pieces side by side.
    do p = 1, s%processes
      do line = 1, s%mine
        at = s%in_at(p) + (line - 1) * s%piece(p)
        s%whole(s%piece_at(p) + 1:s%piece_at(p) + s%piece(p), line) = s%parts(at + 1:at + s%piece(p))
      end do
    end do

    if (s%mine > 0) then
      do turn = 0, int(work * s%mine) - 1
        line = 1 + mod(turn, s%mine)
        call solve(s%whole(:, line), s%solved(:, line))
      end do
    end if

    do p = 1, s%processes
      do line = 1, s%mine
        at = s%in_at(p) + (line - 1) * s%piece(p)
        s%parts(at + 1:at + s%piece(p)) = s%solved(s%piece_at(p) + 1:s%piece_at(p) + s%piece(p), line)
      end do
    end do
    call MPI_Alltoallv(s%parts, s%in_count, s%in_at, MPI_DOUBLE_PRECISION, &
                       s%block, s%out_count, s%out_at, MPI_DOUBLE_PRECISION, s%comm)

    half_step = 0
    do line = 1, s%lines
      if (dim == 0) then
        half_step = max(half_step, maxval(abs(s%block(:, line) - u(1:cols, line))))
        u(1:cols, line) = s%block(:, line)
      else
        half_step = max(half_step, maxval(abs(s%block(:, line) - u(line, 1:rows))))
        u(line, 1:rows) = s%block(:, line)
      end if
    end do

  contains

    ! (1 - r L) x = b along a complete line: Thomas' algorithm; pivot holds the inverses of the pivots.
    subroutine solve(b, x)
      real(dp), intent(in) :: b(n)
      real(dp), intent(out) :: x(n)
      x(1) = b(1) * pivot(1)
      do k = 2, n
        x(k) = (b(k) + r * x(k - 1)) * pivot(k)
      end do
      do k = n - 1, 1, -1
        x(k) = x(k) + r * pivot(k) * x(k + 1)
      end do
    end subroutine
  end function

  ! N and STEPS in `sizes`, the factor in `imbalance`; false if the command line makes no sense.
  logical function parse(sizes, imbalance)
    integer, intent(inout) :: sizes(2)
    real(dp), intent(inout) :: imbalance
    character(len=64) :: text
    integer :: i, given, status

    parse = .false.
    given = 0
    i = 1
    do while (i <= command_argument_count())
      call get_command_argument(i, text)
      if (text == '--imbalance') then
        i = i + 1
        call get_command_argument(i, text)
        read (text, *, iostat=status) imbalance
        if (status /= 0 .or. .not. (imbalance >= 1 .and. imbalance <= 1000)) return
      else
        given = given + 1
        if (given > 2) return
        read (text, *, iostat=status) sizes(given)
        if (status /= 0 .or. sizes(given) < 1 .or. sizes(given) > 30000) return
      end if
      i = i + 1
    end do
    parse = sizes(1) >= 2
  end function
end module

program heat_f08
  use heat
  implicit none
  type(MPI_Comm) :: grid, row, column
  type(MPI_Datatype) :: column_type
  type(sweep) :: along_x, along_y
  real(dp), allocatable :: u(:, :), start(:, :), pivot(:)
  real(dp) :: imbalance, h, dt, r, work, began, seconds, change, lx, ly, worst(2)
  integer :: rank, ranks, grid_rank, dims(2), place(2), sizes(2), n, steps, rows, cols, first_row, first_col
  integer :: i, j, step
  logical :: ok

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  ! Rank 0 reads and checks the command line, and broadcasts it; N = 0 asks all ranks to stop.
  sizes = [768, 50]
  imbalance = 1
  dims = 0
  call MPI_Dims_create(ranks, 2, dims)
  if (rank == 0) then
    if (.not. parse(sizes, imbalance)) then
      write (error_unit, '(a)') 'usage: heat_f08 [N >= 2] [STEPS >= 1] [--imbalance F >= 1]'
      sizes(1) = 0
    else if (sizes(1) < dims(1)) then
      write (error_unit, '(a)') 'heat_f08: the field is too small for so many processes'
      sizes(1) = 0
    end if
  end if
  call MPI_Bcast(sizes, 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call MPI_Bcast(imbalance, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
  n = sizes(1)
  steps = sizes(2)
  if (n == 0) then
    call MPI_Finalize()
    stop 2
  end if

  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .true., grid)
  call MPI_Cart_sub(grid, [.false., .true.], row)
  call MPI_Cart_sub(grid, [.true., .false.], column)
  call MPI_Comm_set_name(grid, 'grid')
  call MPI_Comm_set_name(row, 'row')
  call MPI_Comm_set_name(column, 'column')

  call MPI_Comm_rank(grid, grid_rank)
  call MPI_Cart_coords(grid, grid_rank, 2, place)
  rows = share(n, dims(1), place(1))
  cols = share(n, dims(2), place(2))
  first_row = share_start(n, dims(1), place(1))
  first_col = share_start(n, dims(2), place(2))
  h = 1.0_dp / (n + 1)
  dt = end_time / steps
  r = dt / (2 * h * h)
  allocate (u(0:cols + 1, 0:rows + 1), source=0.0_dp)
  allocate (start(cols, rows), pivot(n))
  do j = 1, rows
    do i = 1, cols
      start(i, j) = mode(first_row + j, first_col + i, h)
    end do
  end do
  u(1:cols, 1:rows) = start

  call MPI_Type_vector(rows, 1, cols + 2, MPI_DOUBLE_PRECISION, column_type)
  call MPI_Type_commit(column_type)
  along_x = new_sweep(row, n, rows, cols)
  along_y = new_sweep(column, n, cols, rows)
  pivot(1) = 1 / (1 + 2 * r)
  do i = 2, n
    pivot(i) = 1 / (1 + 2 * r - r * r * pivot(i - 1))
  end do

  ! The rank in the middle is the slow one: neither rank 0 nor the last, which people look at first.
  work = merge(imbalance, 1.0_dp, rank == ranks / 2)
  began = MPI_Wtime()
  do step = 1, steps
    change = half_step(u, cols, rows, along_x, 0, grid, column_type, n, r, pivot, work)
    change = max(change, half_step(u, cols, rows, along_y, 1, grid, column_type, n, r, pivot, work))
    if (mod(step, check_every) == 0 .or. step == steps) &
      call MPI_Allreduce(MPI_IN_PLACE, change, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid)
  end do
  seconds = MPI_Wtime() - began

  ! The scheme multiplies a mode by the same factor each step; the differential equation by exp(-5 pi^2 dt).
  lx = 4 * r * sin(pi * h / 2)**2
  ly = 4 * r * sin(pi * h)**2
  worst = [maxval(abs(u(1:cols, 1:rows) - exp(-5 * pi**2 * end_time) * start)), &
           maxval(abs(u(1:cols, 1:rows) - ((1 - ly) / (1 + lx) * (1 - lx) / (1 + ly))**steps * start))]
  call MPI_Allreduce(MPI_IN_PLACE, worst, 2, MPI_DOUBLE_PRECISION, MPI_MAX, grid)
  ok = worst(1) <= 50 * dt**2 + 2 * h**2 .and. worst(2) <= 1e-10_dp
  if (rank == 0) then
    print '(a,i0,a,i0,a,i0,a,i0,a,i0,a)', 'heat: ', n, ' x ', n, ' points, ', steps, ' steps, ', &
      dims(1), ' x ', dims(2), ' processes'
    print '(a,es12.6,a,es12.6,a,a)', 'last change ', change, ', error ', worst(1), ', ', &
      trim(merge('ok   ', 'WRONG', ok))
    write (error_unit, '(a,f7.3,a)') 'heat:', seconds, ' s'
  end if

  call MPI_Type_free(column_type)
  call MPI_Comm_free(row)
  call MPI_Comm_free(column)
  call MPI_Comm_free(grid)
  call MPI_Finalize()
  if (.not. ok) stop 1
end program
