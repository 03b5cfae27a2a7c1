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
  X(op_null, MPI_Op, ompi_mpi_op_null) \
  X(sum, MPI_Op, ompi_mpi_op_sum) \
  X(product, MPI_Op, ompi_mpi_op_prod) \
  X(no_process, MPI_Message, ompi_message_no_proc)

// X(the variable), the most usual first
#define RANKWISE_OPENMPI_DATATYPES(X) \
  X(ompi_mpi_double) X(ompi_mpi_int) X(ompi_mpi_byte) X(ompi_mpi_float) \
  X(ompi_mpi_char) X(ompi_mpi_long) X(ompi_mpi_unsigned_char) X(ompi_mpi_unsigned) \
  X(ompi_mpi_int64_t) X(ompi_mpi_uint64_t) X(ompi_mpi_int32_t) X(ompi_mpi_uint32_t) \
  X(ompi_mpi_dblprec) X(ompi_mpi_integer) X(ompi_mpi_real) X(ompi_mpi_unsigned_long) \
  X(ompi_mpi_dblcplex) X(ompi_mpi_long_long_int) X(ompi_mpi_packed) X(ompi_mpi_c_double_complex)

// X(the variable): operations whose result is the same in any order of the operands
#define RANKWISE_OPENMPI_EXACT_OPERATIONS(X) \
  X(ompi_mpi_op_max) X(ompi_mpi_op_min) X(ompi_mpi_op_maxloc) X(ompi_mpi_op_minloc) \
  X(ompi_mpi_op_land) X(ompi_mpi_op_lor) X(ompi_mpi_op_lxor) \
  X(ompi_mpi_op_band) X(ompi_mpi_op_bor) X(ompi_mpi_op_bxor)

// X(the variable): datatypes of integers and truth values
#define RANKWISE_OPENMPI_WHOLE_NUMBERS(X) \
  X(ompi_mpi_int) X(ompi_mpi_long) X(ompi_mpi_integer) X(ompi_mpi_unsigned) X(ompi_mpi_unsigned_long) \
  X(ompi_mpi_int64_t) X(ompi_mpi_uint64_t) X(ompi_mpi_int32_t) X(ompi_mpi_uint32_t) \
  X(ompi_mpi_long_long_int) X(ompi_mpi_unsigned_long_long) X(ompi_mpi_integer8) X(ompi_mpi_integer4) \
  X(ompi_mpi_integer1) X(ompi_mpi_integer2) X(ompi_mpi_integer16) \
  X(ompi_mpi_aint) X(ompi_mpi_count) X(ompi_mpi_offset) \
  X(ompi_mpi_short) X(ompi_mpi_unsigned_short) X(ompi_mpi_int16_t) X(ompi_mpi_uint16_t) \
  X(ompi_mpi_int8_t) X(ompi_mpi_uint8_t) X(ompi_mpi_signed_char) X(ompi_mpi_unsigned_char) \
  X(ompi_mpi_char) X(ompi_mpi_character) X(ompi_mpi_wchar) X(ompi_mpi_byte) \
  X(ompi_mpi_logical) X(ompi_mpi_logical1) X(ompi_mpi_logical2) X(ompi_mpi_logical4) X(ompi_mpi_logical8) \
  X(ompi_mpi_logical16) X(ompi_mpi_c_bool) X(ompi_mpi_cxx_bool)
// clang-format on

#endif
