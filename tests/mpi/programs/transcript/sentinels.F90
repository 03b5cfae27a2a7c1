! Addresses that mean something else than memory, in the binding that BINDING names: MPIFH, MPI or MPI_F08. The Fortran
! libraries of MPI know them by their own addresses and hand C's on. Each rank writes what it sees into a file.
#define MPIFH 1
#define MPI 2
#define MPI_F08 3
#if BINDING == MPI_F08
#define HANDLE(kind) type(kind)
#define STATUS_TYPE type(MPI_Status)
#define SOURCE_OF(status) status%MPI_SOURCE
#else
#define HANDLE(kind) integer
#define STATUS_TYPE integer, dimension(MPI_STATUS_SIZE)
#define SOURCE_OF(status) status(MPI_SOURCE)
#endif
program sentinels
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
  integer :: rank, ierror
  character(len=20) :: name
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  write (name, '(a, i0)') 'sentinels.', rank
  open (unit=10, file=name, action='write')
  call in_place
  call bottom
  call statuses
  call graphs
  close (10)
  call MPI_Finalize(ierror)

contains

  subroutine in_place
    integer :: numbers(4), ones(2), places(2)
    HANDLE(MPI_Request) :: request
    numbers = [1 + rank, 2 + rank, 3, 4]
    ones = 1
    places = [0, 1]
    call MPI_Allreduce(MPI_IN_PLACE, numbers, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call say('Allreduce', numbers)
    numbers(1 + rank) = 100 + rank
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call say('Allgather', numbers)
    numbers(1 + rank) = 200 + rank
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, ones, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call say('Allgatherv', numbers)
    numbers(1 + rank) = 300 + rank
    if (rank == 0) then
      call MPI_Gather(MPI_IN_PLACE, 1, MPI_INTEGER, numbers, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
      call say('Gather', numbers)
      call MPI_Scatter(numbers, 1, MPI_INTEGER, MPI_IN_PLACE, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
      call MPI_Reduce(MPI_IN_PLACE, numbers, 4, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    else
      call MPI_Gather(numbers(2), 1, MPI_INTEGER, numbers, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
      call MPI_Scatter(numbers, 1, MPI_INTEGER, numbers, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
      call MPI_Reduce(numbers, places, 4, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    end if
    call say('Reduce', numbers)
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call say('Alltoall', numbers)
    call MPI_Scan(MPI_IN_PLACE, numbers, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call say('Scan', numbers)
    call MPI_Iallreduce(MPI_IN_PLACE, numbers, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call say('Iallreduce', numbers)
  end subroutine in_place

  subroutine bottom
    integer, save, volatile :: from(3) = [7, 8, 9], to(3) = 0  ! MPI_BOTTOM hides who uses them
    integer(kind=MPI_ADDRESS_KIND) :: address(1)
    HANDLE(MPI_Datatype) :: source, destination
    call MPI_Get_address(from, address(1), ierror)
    call MPI_Type_create_hindexed(1, [3], address, MPI_INTEGER, source, ierror)
    call MPI_Get_address(to, address(1), ierror)
    call MPI_Type_create_hindexed(1, [3], address, MPI_INTEGER, destination, ierror)
    call MPI_Type_commit(source, ierror)
    call MPI_Type_commit(destination, ierror)
    from = from + rank
    call MPI_Sendrecv(MPI_BOTTOM, 1, source, 1 - rank, 1, MPI_BOTTOM, 1, destination, 1 - rank, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierror)
    call say('Sendrecv', to)
    if (rank == 0) call MPI_Bcast(MPI_BOTTOM, 1, source, 0, MPI_COMM_WORLD, ierror)
    if (rank == 1) call MPI_Bcast(MPI_BOTTOM, 1, destination, 0, MPI_COMM_WORLD, ierror)
    call say('Bcast', to)
    call MPI_Type_free(source, ierror)
    call MPI_Type_free(destination, ierror)
  end subroutine bottom

  subroutine statuses
    integer, volatile :: numbers(4)
    integer :: count, i, place, places(2)
    logical :: flag
    HANDLE(MPI_Request) :: requests(2)
    STATUS_TYPE :: status
    do i = 1, 4
      numbers = 0
      call MPI_Irecv(numbers, 2, MPI_INTEGER, 1 - rank, 3, MPI_COMM_WORLD, requests(1), ierror)
      call MPI_Isend([i, rank], 2, MPI_INTEGER, 1 - rank, 3, MPI_COMM_WORLD, requests(2), ierror)
      select case (i)
      case (1)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
      case (2)
        flag = .false.
        do while (.not. flag)
          call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE, ierror)
        end do
      case (3)
        call MPI_Waitany(2, requests, place, MPI_STATUS_IGNORE, ierror)
        call MPI_Waitany(2, requests, place, MPI_STATUS_IGNORE, ierror)
      case (4)
        call MPI_Wait(requests(1), status, ierror)
        call MPI_Get_count(status, MPI_INTEGER, count, ierror)
        call say('status', [count, SOURCE_OF(status)])
        call MPI_Waitsome(1, requests(2:2), count, places, MPI_STATUSES_IGNORE, ierror)
        call say('Waitsome', [count])  ! (MPICH 4.0 counts the places from 0 in mpi_f08)
      end select
      call say('received', numbers)
    end do
    if (rank == 0) call MPI_Send(numbers, 1, MPI_INTEGER, 1, 4, MPI_COMM_WORLD, ierror)
    if (rank == 1) call MPI_Probe(0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    if (rank == 1) call MPI_Recv(numbers, 4, MPI_INTEGER, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call say('Recv', numbers)
  end subroutine statuses

  subroutine graphs
    HANDLE(MPI_Comm) :: graph
    integer :: other(1), incoming, outgoing, from(1), to(1), weights(2)
    logical :: weighted
    other = 1 - rank
    weights = -1
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, other, MPI_UNWEIGHTED, 1, other, MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., graph, ierror)
    call MPI_Dist_graph_neighbors_count(graph, incoming, outgoing, weighted, ierror)
    call MPI_Dist_graph_neighbors(graph, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, ierror)
    call say('unweighted', [incoming, outgoing, merge(1, 0, weighted), from(1), to(1)])
    call MPI_Comm_free(graph, ierror)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, other, [5], 1, other, [6], MPI_INFO_NULL, .false., graph, &
                                        ierror)
    call MPI_Dist_graph_neighbors_count(graph, incoming, outgoing, weighted, ierror)
    call MPI_Dist_graph_neighbors(graph, 1, from, weights(1:1), 1, to, weights(2:2), ierror)
    call say('weighted', [incoming, outgoing, merge(1, 0, weighted), weights(1), weights(2)])
    call MPI_Comm_free(graph, ierror)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, other, MPI_WEIGHTS_EMPTY, 0, other, MPI_WEIGHTS_EMPTY, &
                                        MPI_INFO_NULL, .false., graph, ierror)
    call MPI_Dist_graph_neighbors_count(graph, incoming, outgoing, weighted, ierror)
    call say('empty', [incoming, outgoing, merge(1, 0, weighted)])
    call MPI_Comm_free(graph, ierror)
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, [rank], [1], other, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph, &
                               ierror)
    call MPI_Dist_graph_neighbors_count(graph, incoming, outgoing, weighted, ierror)
    call say('general', [incoming, outgoing, merge(1, 0, weighted)])
    call MPI_Comm_free(graph, ierror)
  end subroutine graphs

  subroutine say(what, numbers)
    character(len=*), intent(in) :: what
    integer, intent(in) :: numbers(:)
    write (10, '(a, *(1x, i0))') what, numbers
  end subroutine say
end program sentinels
