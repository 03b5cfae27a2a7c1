// Any library with the standard ABI (libmpi_abi.so): MPI 5.0, chapter 20. tests/mpi/test_abi.py compares this with
// a real mpi_abi.h. Included inside namespace rankwise::mpiabi.

using MPI_Comm = struct MPI_ABI_Comm *;
using MPI_Datatype = struct MPI_ABI_Datatype *;
using MPI_Errhandler = struct MPI_ABI_Errhandler *;
using MPI_File = struct MPI_ABI_File *;
using MPI_Group = struct MPI_ABI_Group *;
using MPI_Info = struct MPI_ABI_Info *;
using MPI_Message = struct MPI_ABI_Message *;
using MPI_Op = struct MPI_ABI_Op *;
using MPI_Request = struct MPI_ABI_Request *;
using MPI_Session = struct MPI_ABI_Session *;
using MPI_Win = struct MPI_ABI_Win *;
using MPI_Aint = std::intptr_t;
using MPI_Offset = std::int64_t;
using MPI_Count = std::int64_t;

struct MPI_Status {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int internal[5];
};

namespace abi {

inline constexpr int success = 0;
inline constexpr int undefined = -32766;
inline constexpr int proc_null = -3;
inline constexpr int any_source = -1;
inline constexpr int any_tag = -2;
inline constexpr int root = -4;
inline constexpr int topology_cart = 211;
inline constexpr int topology_graph = 212;
inline constexpr int topology_dist_graph = 213;
inline constexpr int tag_ub = 501;
inline constexpr int thread_levels[] = {0, 1024, 2048, 4096};
inline constexpr std::size_t library_version_bytes = 8192;

// Whether the status of MPI_Isendrecv and MPI_Isendrecv_replace contains the bytes received. Only Open MPI is known to
// do so; MPICH and Intel MPI do not.
inline bool exchange_tells_bytes = false;

inline const void *in_place() { return reinterpret_cast<const void *>(1); }
inline MPI_Status *status_ignore() { return nullptr; }
inline const int *unweighted() { return reinterpret_cast<const int *>(10); }
inline const int *weights_empty() { return reinterpret_cast<const int *>(11); }

inline std::uint64_t bits(const void *handle) { return reinterpret_cast<std::uint64_t>(handle); }

inline const auto comm_null = reinterpret_cast<MPI_Comm>(0x100);
inline const auto comm_world = reinterpret_cast<MPI_Comm>(0x101);
inline const auto comm_self = reinterpret_cast<MPI_Comm>(0x102);
inline const auto win_null = reinterpret_cast<MPI_Win>(0x110);
inline const auto file_null = reinterpret_cast<MPI_File>(0x118);
inline const auto datatype_null = reinterpret_cast<MPI_Datatype>(0x200);
inline const auto request_null = reinterpret_cast<MPI_Request>(0x180);
inline const auto no_op = reinterpret_cast<MPI_Op>(0x3d);
inline const auto op_null = reinterpret_cast<MPI_Op>(0x20);
inline MPI_Message message_no_proc() { return reinterpret_cast<MPI_Message>(0x129); }
inline const auto byte = reinterpret_cast<MPI_Datatype>(0x247);

// MPI_SUM and MPI_PROD.
inline bool is_arithmetic(MPI_Op op) { return bits(op) == 0x21 || bits(op) == 0x24; }

// Predefined operations whose result is the same in any order of the operands.
inline bool is_exact(MPI_Op op) {
  const std::uint64_t number = bits(op);
  return number == 0x22 || number == 0x23       // MPI_MIN, MPI_MAX
         || (number >= 0x28 && number <= 0x2a)  // MPI_BAND, MPI_BOR, MPI_BXOR
         || (number >= 0x30 && number <= 0x32)  // MPI_LAND, MPI_LOR, MPI_LXOR
         || number == 0x38 || number == 0x39;   // MPI_MINLOC, MPI_MAXLOC
}

// Predefined datatypes of integers and truth values.
inline bool is_whole_number(MPI_Datatype datatype) {
  switch (bits(datatype)) {
    case 0x201:  // MPI_AINT
    case 0x202:  // MPI_COUNT
    case 0x203:  // MPI_OFFSET
    case 0x208:  // MPI_SHORT
    case 0x209:  // MPI_INT
    case 0x20a:  // MPI_LONG
    case 0x20b:  // MPI_LONG_LONG
    case 0x20c:  // MPI_UNSIGNED_SHORT
    case 0x20d:  // MPI_UNSIGNED
    case 0x20e:  // MPI_UNSIGNED_LONG
    case 0x20f:  // MPI_UNSIGNED_LONG_LONG
    case 0x218:  // MPI_LOGICAL
    case 0x219:  // MPI_INTEGER
    case 0x21e:  // MPI_CHARACTER
    case 0x238:  // MPI_C_BOOL
    case 0x239:  // MPI_CXX_BOOL
    case 0x23c:  // MPI_WCHAR
    case 0x240:  // MPI_INT8_T
    case 0x241:  // MPI_UINT8_T
    case 0x243:  // MPI_CHAR
    case 0x244:  // MPI_SIGNED_CHAR
    case 0x245:  // MPI_UNSIGNED_CHAR
    case 0x247:  // MPI_BYTE
    case 0x248:  // MPI_INT16_T
    case 0x249:  // MPI_UINT16_T
    case 0x250:  // MPI_INT32_T
    case 0x251:  // MPI_UINT32_T
    case 0x258:  // MPI_INT64_T
    case 0x259:  // MPI_UINT64_T
    case 0x2c0:  // MPI_LOGICAL1
    case 0x2c1:  // MPI_INTEGER1
    case 0x2c8:  // MPI_LOGICAL2
    case 0x2c9:  // MPI_INTEGER2
    case 0x2d0:  // MPI_LOGICAL4
    case 0x2d1:  // MPI_INTEGER4
    case 0x2d8:  // MPI_LOGICAL8
    case 0x2d9:  // MPI_INTEGER8
    case 0x2e0:  // MPI_LOGICAL16
    case 0x2e1:  // MPI_INTEGER16
      return true;
    default:
      return false;
  }
}

inline void find_constants(const char *version) { exchange_tells_bytes = std::strstr(version, "Open MPI") != nullptr; }

// MPI_ERR_IN_STATUS: some of the requests failed; their statuses contain the errors.
inline bool is_error_in_status(int code) { return code == 19; }

// MPI_ERR_PENDING, in a status: the request has neither failed nor completed.
inline bool is_pending(int code) { return code == 18; }

// Bytes of an operation that can't be cancelled. The standard leaves the fields that hold them to the library.
inline std::uint64_t bytes_of(const MPI_Status &status) {
  using Elements = int (*)(const MPI_Status *, MPI_Datatype, MPI_Count *);
  static const auto elements = reinterpret_cast<Elements>(library::function("PMPI_Get_elements_c"));
  MPI_Count bytes = 0;
  if (elements == nullptr || elements(&status, byte, &bytes) != success) return 0;
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

// Bytes received, -1 if the operation was cancelled.
inline std::int64_t received_bytes(const MPI_Status &status) {
  using Cancelled = int (*)(const MPI_Status *, int *);
  static const auto cancelled = reinterpret_cast<Cancelled>(library::function("PMPI_Test_cancelled"));
  int flag = 0;
  if (cancelled == nullptr || cancelled(&status, &flag) != success || flag != 0) return -1;
  return static_cast<std::int64_t>(bytes_of(status));
}

// A file's access mode in the numbers of rankwise_file_mode.
inline std::uint32_t file_mode(int amode) {
  constexpr rankwise_file_mode modes[] = {
      RANKWISE_MODE_APPEND,     RANKWISE_MODE_CREATE,      RANKWISE_MODE_DELETE_ON_CLOSE,
      RANKWISE_MODE_EXCL,       RANKWISE_MODE_RDONLY,      RANKWISE_MODE_RDWR,
      RANKWISE_MODE_SEQUENTIAL, RANKWISE_MODE_UNIQUE_OPEN, RANKWISE_MODE_WRONLY};
  std::uint32_t mode = 0;
  for (unsigned bit = 0; bit < 9; ++bit) {
    if ((static_cast<unsigned>(amode) >> bit & 1U) != 0) mode |= modes[bit];
  }
  return mode;
}

// The size of a datatype if its handle contains it, else -1.
inline std::int64_t size_in_handle(MPI_Datatype /*datatype*/) { return -1; }

}  // namespace abi
