! MPI_COMM_WORLD in another order, by the binding that BINDING names: 1 mpif.h, 2 use mpi, 3 use mpi_f08.
! The arguments are the new ranks, by the rank that the launcher gives.
#if BINDING == 3
#define COMM type(MPI_Comm)
#define GROUP type(MPI_Group)
#define SAME(a, b) ((a) == (b))
#else
#define COMM integer
#define GROUP integer
#define SAME(a, b) ((a) == (b))
#endif
module functions
#if BINDING == 3
  use mpi_f08
#elif BINDING == 2
  use mpi
#endif
  implicit none
#if BINDING == 1
  include 'mpif.h'
#endif
  integer :: copies = 0, failures = 0, rank = -1
contains
  subroutine check(fine, what)
    logical, intent(in) :: fine
    character(*), intent(in) :: what
    if (fine) return
    print *, 'rank', rank, ': ', what
    failures = failures + 1
  end subroutine

  subroutine copy(old, keyval, extra, value, copied, flag, ierror)
    COMM :: old
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra, value, copied
    logical :: flag
    copies = copies + 1
    copied = value
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
end module

program world_order
  use functions
  implicit none
  integer :: ranks, launched, before, next, got, ierror, length, i, keyval, mine, answer
  integer, allocatable :: order(:), all(:)
  integer(MPI_ADDRESS_KIND) :: value, extra
  logical :: found
  character(MPI_MAX_OBJECT_NAME) :: text
  COMM :: dup, half
  GROUP :: group

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  allocate(order(0:ranks-1), all(0:ranks-1))
  do i = 0, ranks - 1
    call get_command_argument(i + 1, text)
    read (text, *) order(i)
  end do
  call get_environment_variable('OMPI_COMM_WORLD_RANK', text, length)
  if (length == 0) call get_environment_variable('PMI_RANK', text, length)
  read (text, *) launched
  call check(rank == order(launched), 'rank in the world')
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, next, 1, got, 1, MPI_INTEGER, before, 1, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierror)
  call check(got == before, 'message from another rank')
  call MPI_Allgather(rank, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call check(all(all(rank)) == rank .and. all(rank) == rank, 'gathered in another order')
  call MPI_Comm_group(MPI_COMM_WORLD, group, ierror)
  call MPI_Group_rank(group, mine, ierror)
  call check(mine == rank, 'group of the world')
  call MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, answer, ierror)
  call check(answer == MPI_IDENT, 'the world is itself')
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierror)
  call MPI_Comm_rank(half, mine, ierror)
  call check(mine == rank / 2, 'split')
  call MPI_Comm_free(half, ierror)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, found, ierror)
  call check(found .and. value >= 32767, 'MPI_TAG_UB')
  extra = 0
  call MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, keyval, extra, ierror)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, value, found, ierror)
  call check(.not. found, 'no attribute yet')
  value = 17
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, value, ierror)
  value = 0
  call MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, value, found, ierror)
  call check(found .and. value == 17, 'attribute of the world')
  call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierror)
  value = 0
  call MPI_Comm_get_attr(dup, keyval, value, found, ierror)
  call check(copies == 1 .and. found .and. value == 17, 'attribute of the duplicate')
  call MPI_Comm_free(dup, ierror)
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval, ierror)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, value, found, ierror)
  call check(.not. found, 'no attribute any more')
  call MPI_Finalize(ierror)
  if (failures == 0 .and. rank == 0) print '(a)', 'all as expected'
  if (failures /= 0) stop 1
end program
