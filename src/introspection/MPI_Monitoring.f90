! Lets a running program query the messages that it has sent so far: MPI_Monitoring.h for Fortran.
! docs/reference/introspection.md explains it.
!
!   mpifort -o app $(rankwise link-flags --monitoring-module) app.f90 $(rankwise link-flags --monitoring)
!
! It is shipped as source because each compiler has a private format of module files. Communicators are as in `use mpi`
! and mpif.h; with `use mpi_f08`, comm%MPI_VAL.
module MPI_Monitoring
  use, intrinsic :: iso_c_binding
  implicit none
  private

  integer, parameter, public :: MPI_M_DATA_KIND = c_long

  integer, parameter, public :: MPI_M_ALL_MSID = -1

  integer, parameter, public :: &
    MPI_M_P2P_ONLY = 1, MPI_M_COLL_ONLY = 2, MPI_M_OSC_ONLY = 4, MPI_M_ALL_COMM = 7, &
    MPI_M_USER_ONLY = 8, MPI_M_INSIDE_ONLY = 16

  integer, parameter, public :: &
    MPI_M_INTERNAL_FAIL = 1, MPI_M_MPIT_FAIL = 2, MPI_M_MISSING_INIT = 3, MPI_M_SESSION_STILL_ACTIVE = 4, &
    MPI_M_SESSION_NOT_SUSPENDED = 5, MPI_M_INVALID_MSID = 6, MPI_M_SESSION_OVERFLOW = 7, MPI_M_MULTIPLE_CALL = 8, &
    MPI_M_INVALID_ROOT = 9, MPI_M_INVALID_FLAGS = 10, MPI_M_INVALID_PROCEDURE = 11, MPI_M_INVALID_COMM = 12, &
    MPI_M_INVALID_MACHINE = 13, MPI_M_INVALID_ORDER = 14, MPI_M_NOT_VISIBLE = 15

  integer, parameter, public :: MPI_M_VISIBLE_NONE = 0, MPI_M_VISIBLE_PART = 1, MPI_M_VISIBLE_ALL = 2

  character(len=*), parameter, public :: MPI_M_ALL_COLLECTIVES = "collective", MPI_M_ALL_PROCEDURES = "*"

  ! Instead of a machine.json: the nodes describe themselves.
  character(len=*), parameter, public :: MPI_M_NO_MACHINE = ""

  ! For arguments that are not needed: identified by their addresses.
  integer, target, save, public :: MPI_M_INT_IGNORE
  integer(MPI_M_DATA_KIND), target, save, public :: MPI_M_DATA_IGNORE(1)

  ! As in MPI_Monitoring.h, which describes it. MPI_M_reason returns the sentence.
  type, bind(C), public :: MPI_M_forecast
    real(c_double) :: repetitions = -1, bytes = -1
    integer(c_int) :: reordered = 0
    real(c_double) :: gain = 0, cost = 0, distance = 0
    character(kind=c_char) :: reason(200) = c_null_char
  end type

  public :: MPI_M_init, MPI_M_finalize, MPI_M_start, MPI_M_suspend, MPI_M_continue, MPI_M_reset, MPI_M_free, &
    MPI_M_get_info, MPI_M_get_visible, MPI_M_get_data, MPI_M_allgather_data, MPI_M_rootgather_data, MPI_M_flush, &
    MPI_M_rootflush, &
    MPI_M_get_comm_time, MPI_M_get_comm_data, MPI_M_reorder, MPI_M_reorder_if_profitable, MPI_M_reason, MPI_M_mapping, &
    MPI_M_redistribute

  interface
    integer(c_int) function c_init() bind(C, name="MPI_M_init")
      import :: c_int
    end function
    integer(c_int) function c_finalize() bind(C, name="MPI_M_finalize")
      import :: c_int
    end function
    integer(c_int) function c_start(comm, msid) bind(C, name="MPI_M_start_fortran")
      import :: c_int
      integer(c_int), value :: comm
      integer(c_int) :: msid
    end function
    integer(c_int) function c_suspend(msid) bind(C, name="MPI_M_suspend")
      import :: c_int
      integer(c_int), value :: msid
    end function
    integer(c_int) function c_continue(msid) bind(C, name="MPI_M_continue")
      import :: c_int
      integer(c_int), value :: msid
    end function
    integer(c_int) function c_reset(msid) bind(C, name="MPI_M_reset")
      import :: c_int
      integer(c_int), value :: msid
    end function
    integer(c_int) function c_free(msid) bind(C, name="MPI_M_free")
      import :: c_int
      integer(c_int), value :: msid
    end function
    integer(c_int) function c_get_info(msid, provided, array_size) bind(C, name="MPI_M_get_info")
      import :: c_int, c_ptr
      integer(c_int), value :: msid
      type(c_ptr), value :: provided, array_size
    end function
    integer(c_int) function c_get_visible(msid, visible) bind(C, name="MPI_M_get_visible")
      import :: c_int
      integer(c_int), value :: msid
      integer(c_int) :: visible
    end function
    integer(c_int) function c_get_data(msid, counts, sizes, flags) bind(C, name="MPI_M_get_data")
      import :: c_int, c_ptr
      integer(c_int), value :: msid, flags
      type(c_ptr), value :: counts, sizes
    end function
    integer(c_int) function c_allgather_data(msid, counts, sizes, flags) bind(C, name="MPI_M_allgather_data")
      import :: c_int, c_ptr
      integer(c_int), value :: msid, flags
      type(c_ptr), value :: counts, sizes
    end function
    integer(c_int) function c_rootgather_data(msid, root, counts, sizes, flags) bind(C, name="MPI_M_rootgather_data")
      import :: c_int, c_ptr
      integer(c_int), value :: msid, root, flags
      type(c_ptr), value :: counts, sizes
    end function
    integer(c_int) function c_mapping(sizes, n, k) bind(C, name="MPI_M_mapping")
      import :: c_int, c_ptr
      integer(c_int), value :: n
      type(c_ptr), value :: sizes, k
    end function
    integer(c_int) function c_flush(msid, filename, flags) bind(C, name="MPI_M_flush")
      import :: c_int, c_char
      integer(c_int), value :: msid, flags
      character(kind=c_char) :: filename(*)
    end function
    integer(c_int) function c_rootflush(msid, root, filename, flags) bind(C, name="MPI_M_rootflush")
      import :: c_int, c_char
      integer(c_int), value :: msid, root, flags
      character(kind=c_char) :: filename(*)
    end function
    integer(c_int) function c_get_comm_time(comm, procedure, seconds) bind(C, name="MPI_M_get_comm_time_fortran")
      import :: c_int, c_char, c_double
      integer(c_int), value :: comm
      character(kind=c_char) :: procedure(*)
      real(c_double) :: seconds
    end function
    integer(c_int) function c_get_comm_data(comm, procedure, calls, bytes_sent, bytes_received) &
        bind(C, name="MPI_M_get_comm_data_fortran")
      import :: c_int, c_char, c_ptr
      integer(c_int), value :: comm
      character(kind=c_char) :: procedure(*)
      type(c_ptr), value :: calls, bytes_sent, bytes_received
    end function
    integer(c_int) function c_reorder(msid, comm, machine, optimised, k) bind(C, name="MPI_M_reorder_fortran")
      import :: c_int, c_char, c_ptr
      integer(c_int), value :: msid, comm
      character(kind=c_char) :: machine(*)
      integer(c_int) :: optimised
      type(c_ptr), value :: k
    end function
    integer(c_int) function c_reorder_if_profitable(msid, comm, machine, forecast, optimised, k) &
        bind(C, name="MPI_M_reorder_if_profitable_fortran")
      import :: c_int, c_char, c_ptr, MPI_M_forecast
      integer(c_int), value :: msid, comm
      character(kind=c_char) :: machine(*)
      type(MPI_M_forecast) :: forecast
      integer(c_int) :: optimised
      type(c_ptr), value :: k
    end function
    integer(c_int) function c_redistribute(sendbuf, sendcount, recvbuf, recvcount, datatype, original, k) &
        bind(C, name="MPI_M_redistribute_fortran")
      import :: c_int
      type(*), intent(in) :: sendbuf(*)
      type(*), intent(inout) :: recvbuf(*)
      integer(c_int), value :: sendcount, recvcount, datatype, original
      integer(c_int), intent(in) :: k(*)
    end function
  end interface

contains

  subroutine MPI_M_init(ierror)
    integer, intent(out) :: ierror
    ierror = c_init()
  end subroutine

  subroutine MPI_M_finalize(ierror)
    integer, intent(out) :: ierror
    ierror = c_finalize()
  end subroutine

  subroutine MPI_M_start(comm, msid, ierror)
    integer, intent(in) :: comm
    integer, intent(inout) :: msid
    integer, intent(out) :: ierror
    ierror = c_start(comm, msid)
  end subroutine

  subroutine MPI_M_suspend(msid, ierror)
    integer, intent(in) :: msid
    integer, intent(out) :: ierror
    ierror = c_suspend(msid)
  end subroutine

  subroutine MPI_M_continue(msid, ierror)
    integer, intent(in) :: msid
    integer, intent(out) :: ierror
    ierror = c_continue(msid)
  end subroutine

  subroutine MPI_M_reset(msid, ierror)
    integer, intent(in) :: msid
    integer, intent(out) :: ierror
    ierror = c_reset(msid)
  end subroutine

  subroutine MPI_M_free(msid, ierror)
    integer, intent(in) :: msid
    integer, intent(out) :: ierror
    ierror = c_free(msid)
  end subroutine

  subroutine MPI_M_get_info(msid, provided, array_size, ierror)
    integer, intent(in) :: msid
    integer, intent(inout), target :: provided, array_size
    integer, intent(out) :: ierror
    ierror = c_get_info(msid, wanted_integer(c_loc(provided)), wanted_integer(c_loc(array_size)))
  end subroutine

  subroutine MPI_M_get_visible(msid, visible, ierror)
    integer, intent(in) :: msid
    integer, intent(inout) :: visible
    integer, intent(out) :: ierror
    ierror = c_get_visible(msid, visible)
  end subroutine

  subroutine MPI_M_get_data(msid, msg_counts, msg_sizes, flags, ierror)
    integer, intent(in) :: msid, flags
    integer(MPI_M_DATA_KIND), intent(inout), target :: msg_counts(*), msg_sizes(*)
    integer, intent(out) :: ierror
    ierror = c_get_data(msid, wanted(c_loc(msg_counts)), wanted(c_loc(msg_sizes)), flags)
  end subroutine

  subroutine MPI_M_allgather_data(msid, matrix_counts, matrix_sizes, flags, ierror)
    integer, intent(in) :: msid, flags
    integer(MPI_M_DATA_KIND), intent(inout), target :: matrix_counts(*), matrix_sizes(*)
    integer, intent(out) :: ierror
    ierror = c_allgather_data(msid, wanted(c_loc(matrix_counts)), wanted(c_loc(matrix_sizes)), flags)
  end subroutine

  subroutine MPI_M_rootgather_data(msid, root, matrix_counts, matrix_sizes, flags, ierror)
    integer, intent(in) :: msid, root, flags
    integer(MPI_M_DATA_KIND), intent(inout), target :: matrix_counts(*), matrix_sizes(*)
    integer, intent(out) :: ierror
    ierror = c_rootgather_data(msid, root, wanted(c_loc(matrix_counts)), wanted(c_loc(matrix_sizes)), flags)
  end subroutine

  subroutine MPI_M_mapping(sizes, n, k, ierror)
    integer(MPI_M_DATA_KIND), intent(in), target :: sizes(*)
    integer, intent(in) :: n
    integer, intent(inout), target :: k(*)
    integer, intent(out) :: ierror
    ierror = c_mapping(c_loc(sizes), n, c_loc(k))
  end subroutine

  subroutine MPI_M_flush(msid, filename, flags, ierror)
    integer, intent(in) :: msid, flags
    character(len=*), intent(in) :: filename
    integer, intent(out) :: ierror
    ierror = c_flush(msid, trim(filename) // c_null_char, flags)
  end subroutine

  subroutine MPI_M_rootflush(msid, root, filename, flags, ierror)
    integer, intent(in) :: msid, root, flags
    character(len=*), intent(in) :: filename
    integer, intent(out) :: ierror
    ierror = c_rootflush(msid, root, trim(filename) // c_null_char, flags)
  end subroutine

  subroutine MPI_M_get_comm_time(comm, procedure, seconds, ierror)
    integer, intent(in) :: comm
    character(len=*), intent(in) :: procedure
    double precision, intent(inout) :: seconds
    integer, intent(out) :: ierror
    ierror = c_get_comm_time(comm, trim(procedure) // c_null_char, seconds)
  end subroutine

  subroutine MPI_M_get_comm_data(comm, procedure, calls, bytes_sent, bytes_received, ierror)
    integer, intent(in) :: comm
    character(len=*), intent(in) :: procedure
    integer(MPI_M_DATA_KIND), intent(inout), target :: calls(*), bytes_sent(*), bytes_received(*)
    integer, intent(out) :: ierror
    ierror = c_get_comm_data(comm, trim(procedure) // c_null_char, wanted(c_loc(calls)), wanted(c_loc(bytes_sent)), &
                             wanted(c_loc(bytes_received)))
  end subroutine

  ! Ranks are from 0 on: k(i + 1) is the new rank of the process that has rank i in comm. Without k, ierror is named:
  ! call MPI_M_reorder(msid, comm, machine, optimised, ierror=ierror).
  subroutine MPI_M_reorder(msid, comm, machine, optimised, k, ierror)
    integer, intent(in) :: msid, comm
    character(len=*), intent(in) :: machine
    integer, intent(inout) :: optimised
    integer, target, optional, intent(inout) :: k(*)
    integer, intent(out) :: ierror
    type(c_ptr) :: ranks
    ranks = c_null_ptr
    if (present(k)) ranks = c_loc(k)
    ierror = c_reorder(msid, comm, trim(machine) // c_null_char, optimised, ranks)
  end subroutine

  ! k as above.
  subroutine MPI_M_reorder_if_profitable(msid, comm, machine, forecast, optimised, k, ierror)
    integer, intent(in) :: msid, comm
    character(len=*), intent(in) :: machine
    type(MPI_M_forecast), intent(inout) :: forecast
    integer, intent(inout) :: optimised
    integer, target, optional, intent(inout) :: k(*)
    integer, intent(out) :: ierror
    type(c_ptr) :: ranks
    ranks = c_null_ptr
    if (present(k)) ranks = c_loc(k)
    ierror = c_reorder_if_profitable(msid, comm, trim(machine) // c_null_char, forecast, optimised, ranks)
  end subroutine

  function MPI_M_reason(forecast) result(text)
    type(MPI_M_forecast), intent(in) :: forecast
    character(len=size(forecast%reason)) :: text
    integer :: i
    text = ""
    do i = 1, size(forecast%reason)
      if (forecast%reason(i) == c_null_char) exit
      text(i:i) = forecast%reason(i)
    end do
  end function

  ! Buffers are arrays of any type and rank, without holes.
  subroutine MPI_M_redistribute(sendbuf, sendcount, recvbuf, recvcount, datatype, original, k, ierror)
    type(*), intent(in) :: sendbuf(*)
    type(*), intent(inout) :: recvbuf(*)
    integer, intent(in) :: sendcount, recvcount, datatype, original, k(*)
    integer, intent(out) :: ierror
    ierror = c_redistribute(sendbuf, sendcount, recvbuf, recvcount, datatype, original, k)
  end subroutine

  ! C's null pointer for ignored arguments.
  type(c_ptr) function wanted(address)
    type(c_ptr), intent(in) :: address
    wanted = address
    if (c_associated(address, c_loc(MPI_M_DATA_IGNORE))) wanted = c_null_ptr
  end function

  type(c_ptr) function wanted_integer(address)
    type(c_ptr), intent(in) :: address
    wanted_integer = address
    if (c_associated(address, c_loc(MPI_M_INT_IGNORE))) wanted_integer = c_null_ptr
  end function

end module MPI_Monitoring
