// The functions of include/rankwise/MPI_Monitoring.h with C linkage.
//
// RATIONALE: a communicator is a number or an address, depending on the MPI library. Both are passed in the same
// register, so one function serves both. The active build knows which of the two it is (processes.h).
#include <cstdint>

#include "files.h"
#include "mapping.h"
#include "profit.h"
#include "reorder.h"
#include "sessions.h"
#include "so_far.h"

using rankwise::Handle;
using rankwise::introspection::Error;
using rankwise::introspection::Forecast;
using rankwise::introspection::Rows;
using rankwise::introspection::SoFar;
namespace introspection = rankwise::introspection;

namespace {

Handle handle(const void *comm) { return reinterpret_cast<Handle>(comm); }

void hand_over(const Rows &rows, std::size_t entries, unsigned long *counts, unsigned long *sizes) {
  for (std::size_t i = 0; rows.counts() != nullptr && i < entries; ++i) {
    if (counts != nullptr) counts[i] = rows.counts()[i].messages;
    if (sizes != nullptr) sizes[i] = rows.counts()[i].bytes;
  }
}

std::size_t squared(const Rows &rows) {
  return static_cast<std::size_t>(rows.members()) * static_cast<std::size_t>(rows.members());
}

Error comm_time(Handle comm, const char *procedure, double *seconds) {
  SoFar totals;
  const Error error = introspection::so_far(comm, procedure, &totals);
  if (error == introspection::success && seconds != nullptr) *seconds = totals.seconds;
  return error;
}

Error comm_data(Handle comm, const char *procedure, unsigned long *calls, unsigned long *bytes_sent,
                unsigned long *bytes_received) {
  SoFar totals;
  const Error error = introspection::so_far(comm, procedure, &totals);
  if (error != introspection::success) return error;
  if (calls != nullptr) *calls = totals.calls;
  if (bytes_sent != nullptr) *bytes_sent = totals.bytes_sent;
  if (bytes_received != nullptr) *bytes_received = totals.bytes_received;
  return error;
}

// The communicator of a Fortran program, which is a number in every library. Null before MPI_M_init, which then makes
// no MPI call.
Handle from_fortran(int comm) { return introspection::is_open() ? introspection::mpi->from_fortran(comm) : Handle{0}; }

// Calls put(communicator) with the communicator of the new order, or none.
template <class Put>
Error reorder(int msid, Handle comm, const char *machine, int *k, Put put) {
  if (!introspection::is_open()) return introspection::missing_init;
  Handle made = 0;
  const Error error = introspection::reorder(msid, comm, machine, &made, k);
  put(made);
  return error;
}

// The same for MPI_M_reorder_if_profitable.
template <class Put>
Error reorder_if_profitable(int msid, Handle comm, const char *machine, Forecast *forecast, int *k, Put put) {
  if (!introspection::is_open()) return introspection::missing_init;
  Handle made = 0;
  const Error error = introspection::reorder_if_profitable(msid, comm, machine, forecast, &made, k);
  put(made);
  return error;
}

}  // namespace

#define RANKWISE_EXPORTED extern "C" [[gnu::visibility("default")]] int

RANKWISE_EXPORTED MPI_M_init() { return introspection::open(); }
RANKWISE_EXPORTED MPI_M_finalize() { return introspection::close(); }

RANKWISE_EXPORTED MPI_M_start(const void *comm, int *msid) { return introspection::start(handle(comm), msid); }
RANKWISE_EXPORTED MPI_M_suspend(int msid) { return introspection::suspend(msid); }
RANKWISE_EXPORTED MPI_M_continue(int msid) { return introspection::resume(msid); }
RANKWISE_EXPORTED MPI_M_reset(int msid) { return introspection::reset(msid); }
RANKWISE_EXPORTED MPI_M_free(int msid) { return introspection::free(msid); }

RANKWISE_EXPORTED MPI_M_get_info(int msid, int *provided, int *array_size) {
  return introspection::information(msid, provided, array_size);
}

RANKWISE_EXPORTED MPI_M_get_visible(int msid, int *visible) { return introspection::visible(msid, visible); }

RANKWISE_EXPORTED MPI_M_get_data(int msid, unsigned long *counts, unsigned long *sizes, int flags) {
  Rows rows;
  const Error error = rows.of_this(msid, flags);
  if (error == introspection::success) hand_over(rows, static_cast<std::size_t>(rows.members()), counts, sizes);
  return error;
}

RANKWISE_EXPORTED MPI_M_allgather_data(int msid, unsigned long *counts, unsigned long *sizes, int flags) {
  Rows rows;
  const Error error = rows.of_all(msid, flags);
  if (error == introspection::success) hand_over(rows, squared(rows), counts, sizes);
  return error;
}

RANKWISE_EXPORTED MPI_M_rootgather_data(int msid, int root, unsigned long *counts, unsigned long *sizes, int flags) {
  Rows rows;
  const Error error = rows.of_all_at(msid, flags, root);
  if (error == introspection::success) hand_over(rows, squared(rows), counts, sizes);
  return error;
}

RANKWISE_EXPORTED MPI_M_flush(int msid, const char *filename, int flags) {
  Rows rows;
  const Error error = rows.of_this(msid, flags);
  if (error != introspection::success) return error;
  return filename != nullptr && introspection::write_row(filename, rows) ? introspection::success
                                                                         : introspection::internal_fail;
}

RANKWISE_EXPORTED MPI_M_rootflush(int msid, int root, const char *filename, int flags) {
  Rows rows;
  const Error error = rows.of_all_at(msid, flags, root);
  if (error != introspection::success) return error;
  const bool done = rows.counts() == nullptr || (filename != nullptr && introspection::write_matrices(filename, rows));
  return rows.as_at(root, done ? introspection::success : introspection::internal_fail);
}

RANKWISE_EXPORTED MPI_M_get_comm_time(const void *comm, const char *procedure, double *seconds) {
  return comm_time(handle(comm), procedure, seconds);
}

RANKWISE_EXPORTED MPI_M_get_comm_data(const void *comm, const char *procedure, unsigned long *calls,
                                      unsigned long *bytes_sent, unsigned long *bytes_received) {
  return comm_data(handle(comm), procedure, calls, bytes_sent, bytes_received);
}

RANKWISE_EXPORTED MPI_M_reorder(int msid, const void *comm, const char *machine, void *optimised, int *k) {
  if (optimised == nullptr) return introspection::invalid_comm;
  return reorder(msid, handle(comm), machine, k, [=](Handle made) { introspection::mpi->put(made, optimised); });
}

RANKWISE_EXPORTED MPI_M_reorder_if_profitable(int msid, const void *comm, const char *machine, Forecast *forecast,
                                              void *optimised, int *k) {
  if (optimised == nullptr) return introspection::invalid_comm;
  if (forecast == nullptr) return introspection::invalid_order;
  return reorder_if_profitable(msid, handle(comm), machine, forecast, k,
                               [=](Handle made) { introspection::mpi->put(made, optimised); });
}

RANKWISE_EXPORTED MPI_M_mapping(const unsigned long *sizes, int n, int *k) {
  if (!introspection::is_open()) return introspection::missing_init;
  if (sizes == nullptr || k == nullptr || n < 1) return introspection::invalid_order;
  return introspection::mapping::find(sizes, n, k);
}

RANKWISE_EXPORTED MPI_M_redistribute(const void *sendbuf, int sendcount, void *recvbuf, int recvcount,
                                     const void *datatype, const void *original, const int *k) {
  return introspection::redistribute({sendbuf, sendcount, recvbuf, recvcount, handle(datatype)}, handle(original), k);
}

// --- For the Fortran module, MPI_Monitoring.f90 ---

RANKWISE_EXPORTED MPI_M_start_fortran(int comm, int *msid) { return introspection::start(from_fortran(comm), msid); }

RANKWISE_EXPORTED MPI_M_get_comm_time_fortran(int comm, const char *procedure, double *seconds) {
  return comm_time(from_fortran(comm), procedure, seconds);
}

RANKWISE_EXPORTED MPI_M_get_comm_data_fortran(int comm, const char *procedure, unsigned long *calls,
                                              unsigned long *bytes_sent, unsigned long *bytes_received) {
  return comm_data(from_fortran(comm), procedure, calls, bytes_sent, bytes_received);
}

RANKWISE_EXPORTED MPI_M_reorder_fortran(int msid, int comm, const char *machine, int *optimised, int *k) {
  const char *path = *machine != '\0' ? machine : nullptr;
  return reorder(msid, from_fortran(comm), path, k,
                 [=](Handle made) { *optimised = introspection::mpi->to_fortran(made); });
}

RANKWISE_EXPORTED MPI_M_reorder_if_profitable_fortran(int msid, int comm, const char *machine, Forecast *forecast,
                                                      int *optimised, int *k) {
  const char *path = *machine != '\0' ? machine : nullptr;
  return reorder_if_profitable(msid, from_fortran(comm), path, forecast, k,
                               [=](Handle made) { *optimised = introspection::mpi->to_fortran(made); });
}

RANKWISE_EXPORTED MPI_M_redistribute_fortran(const void *sendbuf, int sendcount, void *recvbuf, int recvcount,
                                             int datatype, int original, const int *k) {
  if (!introspection::is_open()) return introspection::missing_init;
  const Handle type = introspection::mpi->datatype_from_fortran(datatype);
  return introspection::redistribute({sendbuf, sendcount, recvbuf, recvcount, type}, from_fortran(original), k);
}
