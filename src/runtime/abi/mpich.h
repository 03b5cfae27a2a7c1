// MPICH 3, 4, 5, Intel MPI, MVAPICH, Cray MPICH (libmpi.so.12): what wrappers must know of the mpi.h that they
// share (the MPICH ABI initiative). tests/mpi/test_abi.py compares this with the real headers. Included inside
// namespace rankwise::mpich.

using MPI_Comm = int;
using MPI_Datatype = int;
using MPI_Errhandler = int;
using MPI_File = struct ADIOI_FileD *;
using MPI_Group = int;
using MPI_Info = int;
using MPI_Message = int;
using MPI_Op = int;
using MPI_Request = int;
using MPI_Session = int;
using MPI_Win = int;
using MPI_Aint = long;
using MPI_Offset = long;
using MPI_Count = long;

struct MPI_Status {
  int count_low;
  int count_high_and_cancelled;  // bit 0: cancelled
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
};

namespace abi {

inline constexpr int success = 0;
inline constexpr int undefined = -32766;
inline constexpr int proc_null = -1;
inline constexpr int any_source = -2;
inline constexpr int any_tag = -1;
inline constexpr int root = -3;
inline constexpr int topology_cart = 2;
inline constexpr int topology_graph = 1;
inline constexpr int topology_dist_graph = 3;
inline constexpr int tag_ub = 0x64400001;
inline constexpr int thread_levels[] = {0, 1, 2, 3};
inline constexpr std::size_t library_version_bytes = 8192;

// Whether the status of MPI_Isendrecv and MPI_Isendrecv_replace tells the bytes received. In MPICH 4.0 and 5.0 and in
// Intel MPI 2021 it holds 0 or what was in memory; no version is known where it is right.
inline constexpr bool exchange_tells_bytes = false;

inline const void *in_place() { return reinterpret_cast<const void *>(-1); }
inline MPI_Status *status_ignore() { return reinterpret_cast<MPI_Status *>(1); }

// Variables of the library; nullptr if it lacks them.
inline const int *sentinel(const char *name) {
  const auto *const variable = static_cast<const int *const *>(library::variable(name));
  return variable != nullptr ? *variable : nullptr;
}
inline const int *unweighted() { return sentinel("MPI_UNWEIGHTED"); }
inline const int *weights_empty() { return sentinel("MPI_WEIGHTS_EMPTY"); }

inline std::uint64_t bits(int handle) { return static_cast<std::uint32_t>(handle); }
inline std::uint64_t bits(MPI_File file) { return reinterpret_cast<std::uint64_t>(file); }

inline constexpr MPI_Comm comm_world = 0x44000000;
inline constexpr MPI_Comm comm_self = 0x44000001;
inline constexpr MPI_Comm comm_null = 0x04000000;
inline constexpr MPI_Win win_null = 0x20000000;
inline constexpr MPI_File file_null = nullptr;
inline constexpr MPI_Datatype datatype_null = 0x0c000000;
inline constexpr MPI_Datatype byte = 0x4c00010d;
inline constexpr MPI_Request request_null = 0x2c000000;
inline constexpr MPI_Op no_op = 0x5800000e;
inline MPI_Message message_no_proc() { return 0x6c000000; }

inline void find_constants(const char * /*version*/) {}

// MPI_ERR_IN_STATUS: some of the requests failed, and their statuses tell which.
inline bool is_error_in_status(int code) { return (code & 0x7F) == 17; }

// MPI_ERR_PENDING, in a status: the request has neither failed nor completed.
inline bool is_pending(int code) { return (code & 0x7F) == 18; }

// Bytes of an operation that can't be cancelled.
inline std::uint64_t bytes_of(const MPI_Status &status) {
  const auto low = static_cast<std::uint32_t>(status.count_low);
  const auto high = static_cast<std::uint32_t>(status.count_high_and_cancelled);
  return (std::uint64_t{high >> 1} << 32) | low;
}

// Bytes received, -1 if the operation was cancelled.
inline std::int64_t received_bytes(const MPI_Status &status) {
  return (status.count_high_and_cancelled & 1) != 0 ? -1 : static_cast<std::int64_t>(bytes_of(status));
}

// A file's access mode in the numbers of rankwise_file_mode.
inline std::uint32_t file_mode(int amode) { return static_cast<std::uint32_t>(amode) & 0x1FF; }

// The size of a datatype if its handle tells, else -1: built-in types carry it in bits 8 to 15.
inline std::int64_t size_in_handle(MPI_Datatype datatype) {
  return (static_cast<std::uint32_t>(datatype) & 0xFF000000U) == 0x4C000000U ? (datatype >> 8) & 0xFF : -1;
}

}  // namespace abi
