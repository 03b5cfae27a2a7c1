! MPI-IO from Fortran between 2 processes, in the directory that is the first argument. tests/mpi/test_files.py knows
! each byte. Doubles are 8 bytes.
program fortran_files
  use mpi
  implicit none
  integer(kind=mpi_offset_kind) :: beginning
  integer :: rank, ierror, file, request, blocks
  integer :: status(mpi_status_size)
  double precision :: numbers(100), back(100)
  character(len=1000) :: directory

  call mpi_init(ierror)
  call mpi_comm_rank(mpi_comm_world, rank, ierror)
  call get_command_argument(1, directory)
  numbers = rank + 1

  call mpi_file_open(mpi_comm_world, trim(directory)//'/fortran', ior(mpi_mode_create, mpi_mode_rdwr), mpi_info_null, &
                     file, ierror)
  beginning = 800 * rank
  call mpi_file_write_at_all(file, beginning, numbers, 100, mpi_double_precision, mpi_status_ignore, ierror)
  call mpi_file_iwrite_at(file, beginning, numbers, 10 + rank, mpi_double_precision, request, ierror)
  call mpi_wait(request, mpi_status_ignore, ierror)
  call mpi_file_write_ordered_begin(file, numbers, 20, mpi_double_precision, ierror)
  call mpi_file_write_ordered_end(file, numbers, mpi_status_ignore, ierror)
  call mpi_file_sync(file, ierror)
  call mpi_barrier(mpi_comm_world, ierror)

  call mpi_type_vector(10, 5, 10, mpi_double_precision, blocks, ierror)
  call mpi_type_commit(blocks, ierror)
  beginning = 40 * rank
  call mpi_file_set_view(file, beginning, mpi_double_precision, blocks, 'native', mpi_info_null, ierror)
  call mpi_file_read_all(file, back, 30, mpi_double_precision, status, ierror)
  call mpi_file_read(file, back, 12, mpi_double_precision, mpi_status_ignore, ierror)
  call mpi_file_close(file, ierror)
  if (file /= mpi_file_null) stop 1

  call mpi_file_open(mpi_comm_self, trim(directory)//'/nothing', mpi_mode_rdonly, mpi_info_null, file, ierror)
  if (ierror == mpi_success) stop 2
  call mpi_finalize(ierror)
end program fortran_files
