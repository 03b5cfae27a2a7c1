! A ring and a graph with reorder = .true., in the binding that BINDING names: MPIFH, MPI or MPI_F08. Asks MPI what it has
! made; rank 0 of each writes its name and the rank in MPI_COMM_WORLD of each process.
#define MPIFH 1
#define MPI 2
#define MPI_F08 3
#if BINDING == MPI_F08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif
program topologies
#if BINDING == MPI_F08
  use mpi_f08
  implicit none
#elif BINDING == MPI
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: me, ranks, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call ring
  call graph(.true.)
  call graph(.false.)
  call MPI_Finalize(ierror)

contains

  subroutine ring
    HANDLE(MPI_Comm) :: made
    integer :: rank, below, above, coordinates(1)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .true., made, ierror)
    call MPI_Comm_rank(made, rank, ierror)
    call MPI_Cart_coords(made, rank, 1, coordinates, ierror)
    call MPI_Cart_shift(made, 0, 1, below, above, ierror)
    call check(coordinates(1) == rank)
    call check(below == mod(rank + ranks - 1, ranks))
    call check(above == mod(rank + 1, ranks))
    call tell(made, 'ring')
  end subroutine ring

  ! Node i sends to node i + 2 with weight 10 + i.
  subroutine graph(weighted)
    logical, intent(in) :: weighted
    HANDLE(MPI_Comm) :: made
    integer :: rank, from(1), to(1), weights(2)
    from = mod(me + ranks - 2, ranks)
    to = mod(me + 2, ranks)
    if (weighted) then
      call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, from, [10 + from(1)], 1, to, [10 + me], MPI_INFO_NULL, &
                                          .true., made, ierror)
    else
      call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, &
                                          MPI_INFO_NULL, .true., made, ierror)
    end if
    call MPI_Comm_rank(made, rank, ierror)
    weights = [10 + mod(rank + ranks - 2, ranks), 10 + rank]
    if (weighted) then
      call MPI_Dist_graph_neighbors(made, 1, from, weights(1:1), 1, to, weights(2:2), ierror)
    else
      call MPI_Dist_graph_neighbors(made, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, ierror)
    end if
    call check(from(1) == mod(rank + ranks - 2, ranks))
    call check(to(1) == mod(rank + 2, ranks))
    call check(weights(1) == 10 + from(1))
    call check(weights(2) == 10 + rank)
    call tell(made, merge('weighted  ', 'unweighted', weighted))
  end subroutine graph

  subroutine check(is_true)
    logical, intent(in) :: is_true
    if (is_true) return
    write (*, '(a, i0, a)') 'process ', me, ' has a wrong answer'
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end subroutine check

  subroutine tell(made, what)
    HANDLE(MPI_Comm), intent(inout) :: made
    character(len=*), intent(in) :: what
    integer :: rank, members(64)
    call MPI_Comm_rank(made, rank, ierror)
    call MPI_Gather(me, 1, MPI_INTEGER, members, 1, MPI_INTEGER, 0, made, ierror)
    if (rank == 0) write (*, '(2a, 64(1x, i0))') trim(what), ':', members(1:ranks)
    call MPI_Comm_free(made, ierror)
  end subroutine tell
end program topologies
