! Completion calls over no request, each a number of times of its own, and one over a request in between; in the binding
! that BINDING names: MPIFH, MPI or MPI_F08. With PLUGIN it is no program but the function of a plugin.
! tests/mpi/test_fortran_empty.py
#define MPIFH 1
#define MPI 2
#define MPI_F08 3
#if BINDING == MPI_F08
#define HANDLE(kind) type(kind)
#define STATUSES(n) type(MPI_Status) :: statuses(n)
#else
#define HANDLE(kind) integer
#define STATUSES(n) integer :: statuses(MPI_STATUS_SIZE, n)
#endif

subroutine plugin() bind(c)
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
  HANDLE(MPI_Request) :: requests(1)
  STATUSES(1)
  integer :: i, none, completed, indices(1), ierror
  logical :: flag
  none = 0
  do i = 1, 3
    ierror = -1
    call MPI_Waitall(none, requests, statuses, ierror)
    call say(ierror)
  end do
  do i = 1, 4
    call MPI_Testall(none, requests, flag, MPI_STATUSES_IGNORE, ierror)
    call say(merge(1, 0, flag))
  end do
  do i = 1, 5
    call MPI_Waitany(none, requests, indices(1), MPI_STATUS_IGNORE, ierror)
    call say(indices(1))
  end do
  do i = 1, 6
    call MPI_Testany(none, requests, indices(1), flag, MPI_STATUS_IGNORE, ierror)
    call say(merge(indices(1), -1, flag))
  end do
  do i = 1, 7
    call MPI_Waitsome(none, requests, completed, indices, statuses, ierror)
    call say(completed)
  end do
  do i = 1, 8
    call MPI_Testsome(none, requests, completed, indices, MPI_STATUSES_IGNORE, ierror)
    call say(completed)
  end do
  call post
  call MPI_Waitall(1, requests, MPI_STATUSES_IGNORE, ierror)
  call post
  call MPI_Waitany(1, requests, indices(1), MPI_STATUS_IGNORE, ierror)
  call say(indices(1))
  call post
  call MPI_Waitsome(1, requests, completed, indices, statuses, ierror)
  call say(completed)
  flag = .false.
  call post
  do while (.not. flag)
    call MPI_Testall(1, requests, flag, statuses, ierror)
  end do

contains

  ! A message to oneself, whose receiving is to be waited for.
  subroutine post
    integer, save, asynchronous :: sent = 1, received
    call MPI_Irecv(received, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, requests(1), ierror)
    call MPI_Send(sent, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, ierror)
  end subroutine post

  ! What a call gives, to be compared with what it gives without Rankwise.
  subroutine say(result)
    integer, intent(in) :: result
    print *, result
  end subroutine say
end subroutine plugin

#ifndef PLUGIN
program empty_completions
#if BINDING == MPI_F08
  use mpi_f08
#elif BINDING == MPI
  use mpi
#endif
  implicit none
#if BINDING == MPIFH
  include 'mpif.h'
#endif
  interface
    subroutine plugin() bind(c)
    end subroutine plugin
  end interface
  integer :: ierror
  call MPI_Init(ierror)
  call plugin
  call MPI_Finalize(ierror)
end program empty_completions
#endif
