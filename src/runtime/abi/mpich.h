// MPICH 3, 4, 5, Intel MPI, MVAPICH, Cray MPICH (libmpi.so.12): the parts of their common mpi.h that wrappers need (the
// MPICH ABI initiative). tests/mpi/test_abi.py compares this with the real headers. Included inside namespace
// rankwise::mpich.

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

// Whether the status of MPI_Isendrecv and MPI_Isendrecv_replace contains the bytes received. In MPICH 4.0 and 5.0 and
// in Intel MPI 2021 it contains 0 or stale memory; no version is known where it is right.
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
inline constexpr MPI_Op op_null = 0x18000000;
inline MPI_Message message_no_proc() { return 0x6c000000; }

// MPI_SUM and MPI_PROD.
inline bool is_arithmetic(MPI_Op op) { return op == 0x58000003 || op == 0x58000004; }

// Predefined operations whose result is the same in any order of the operands: MPI_MAX, MPI_MIN, MPI_LAND to
// MPI_MAXLOC.
inline bool is_exact(MPI_Op op) {
  return op == 0x58000001 || op == 0x58000002 || (op >= 0x58000005 && op <= 0x5800000c);
}

// Predefined datatypes of integers and truth values.
inline bool is_whole_number(MPI_Datatype datatype) {
  switch (datatype) {
    case 0x4c000101:  // MPI_CHAR
    case 0x4c000102:  // MPI_UNSIGNED_CHAR
    case 0x4c000203:  // MPI_SHORT
    case 0x4c000204:  // MPI_UNSIGNED_SHORT
    case 0x4c000405:  // MPI_INT
    case 0x4c000406:  // MPI_UNSIGNED
    case 0x4c000807:  // MPI_LONG
    case 0x4c000808:  // MPI_UNSIGNED_LONG
    case 0x4c000809:  // MPI_LONG_LONG
    case 0x4c00010d:  // MPI_BYTE
    case 0x4c00040e:  // MPI_WCHAR
    case 0x4c000118:  // MPI_SIGNED_CHAR
    case 0x4c000819:  // MPI_UNSIGNED_LONG_LONG
    case 0x4c00011a:  // MPI_CHARACTER
    case 0x4c00041b:  // MPI_INTEGER
    case 0x4c00041d:  // MPI_LOGICAL
    case 0x4c00012d:  // MPI_INTEGER1, 2, 4, 8, 16
    case 0x4c00022f:
    case 0x4c000430:
    case 0x4c000831:
    case 0x4c001032:
    case 0x4c000133:  // MPI_CXX_BOOL
    case 0x4c000137:  // MPI_INT8_T, 16, 32, 64
    case 0x4c000238:
    case 0x4c000439:
    case 0x4c00083a:
    case 0x4c00013b:  // MPI_UINT8_T, 16, 32, 64
    case 0x4c00023c:
    case 0x4c00043d:
    case 0x4c00083e:
    case 0x4c00013f:  // MPI_C_BOOL
    case 0x4c000843:  // MPI_AINT
    case 0x4c000844:  // MPI_OFFSET
    case 0x4c000845:  // MPI_COUNT
    case 0x4c000147:  // MPI_LOGICAL1, 2, 4, 8, 16
    case 0x4c000248:
    case 0x4c000449:
    case 0x4c00084a:
    case 0x4c00104b:
      return true;
    default:
      return false;
  }
}

inline void find_constants(const char * /*version*/) {}

// MPI_ERR_IN_STATUS: some of the requests failed; their statuses contain the errors.
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

// The size of a datatype if its handle contains it, else -1: built-in types carry it in bits 8 to 15.
inline std::int64_t size_in_handle(MPI_Datatype datatype) {
  return (static_cast<std::uint32_t>(datatype) & 0xFF000000U) == 0x4C000000U ? (datatype >> 8) & 0xFF : -1;
}

}  // namespace abi
