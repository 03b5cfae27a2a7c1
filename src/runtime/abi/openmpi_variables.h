// The variables of Open MPI that are looked up by name.
#ifndef RANKWISE_ABI_OPENMPI_VARIABLES_H
#define RANKWISE_ABI_OPENMPI_VARIABLES_H

// clang-format off
// X(our name, its type, the variable)
#define RANKWISE_OPENMPI_CONSTANTS(X) \
  X(comm_world, MPI_Comm, ompi_mpi_comm_world) \
  X(comm_self, MPI_Comm, ompi_mpi_comm_self) \
  X(comm_null, MPI_Comm, ompi_mpi_comm_null) \
  X(win_null, MPI_Win, ompi_mpi_win_null) \
  X(file_null, MPI_File, ompi_mpi_file_null) \
  X(datatype_null, MPI_Datatype, ompi_mpi_datatype_null) \
  X(byte, MPI_Datatype, ompi_mpi_byte) \
  X(request_null, MPI_Request, ompi_request_null) \
  X(no_op, MPI_Op, ompi_mpi_op_no_op) \
  X(no_process, MPI_Message, ompi_message_no_proc)

// X(the variable), the most usual first
#define RANKWISE_OPENMPI_DATATYPES(X) \
  X(ompi_mpi_double) X(ompi_mpi_int) X(ompi_mpi_byte) X(ompi_mpi_float) \
  X(ompi_mpi_char) X(ompi_mpi_long) X(ompi_mpi_unsigned_char) X(ompi_mpi_unsigned) \
  X(ompi_mpi_int64_t) X(ompi_mpi_uint64_t) X(ompi_mpi_int32_t) X(ompi_mpi_uint32_t) \
  X(ompi_mpi_dblprec) X(ompi_mpi_integer) X(ompi_mpi_real) X(ompi_mpi_unsigned_long) \
  X(ompi_mpi_dblcplex) X(ompi_mpi_long_long_int) X(ompi_mpi_packed) X(ompi_mpi_c_double_complex)
// clang-format on

#endif
