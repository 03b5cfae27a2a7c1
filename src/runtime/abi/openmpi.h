// Open MPI 4.x and 5.x (libmpi.so.40): the parts of its mpi.h that wrappers need. tests/mpi/test_abi.py compares this
// with the real header. Included inside namespace rankwise::openmpi.
//
// Handles are addresses; the predefined ones are objects of the library, found by name (openmpi_variables.h).

using MPI_Comm = struct ompi_communicator_t *;
using MPI_Datatype = struct ompi_datatype_t *;
using MPI_Errhandler = struct ompi_errhandler_t *;
using MPI_File = struct ompi_file_t *;
using MPI_Group = struct ompi_group_t *;
using MPI_Info = struct ompi_info_t *;
using MPI_Message = struct ompi_message_t *;
using MPI_Op = struct ompi_op_t *;
using MPI_Request = struct ompi_request_t *;
using MPI_Session = struct ompi_instance_t *;
using MPI_Win = struct ompi_win_t *;
using MPI_Aint = std::ptrdiff_t;
using MPI_Offset = long long;
using MPI_Count = long long;

struct MPI_Status {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int cancelled;
  std::size_t bytes;
};

namespace abi {

inline constexpr int success = 0;
inline constexpr int undefined = -32766;
inline constexpr int proc_null = -2;
inline constexpr int any_source = -1;
inline constexpr int any_tag = -1;
inline constexpr int root = -4;
inline constexpr int topology_cart = 1;
inline constexpr int topology_graph = 2;
inline constexpr int topology_dist_graph = 3;
inline constexpr int thread_levels[] = {0, 1, 2, 3};
inline constexpr std::size_t library_version_bytes = 256;

// Whether the status of MPI_Isendrecv and MPI_Isendrecv_replace contains the bytes received.
inline constexpr bool exchange_tells_bytes = true;

inline const void *in_place() { return reinterpret_cast<const void *>(1); }
inline MPI_Status *status_ignore() { return nullptr; }
inline const int *unweighted() { return reinterpret_cast<const int *>(2); }
inline const int *weights_empty() { return reinterpret_cast<const int *>(3); }

inline std::uint64_t bits(const void *handle) { return reinterpret_cast<std::uint64_t>(handle); }

inline MPI_Comm comm_world = nullptr;
inline MPI_Comm comm_self = nullptr;
inline MPI_Comm comm_null = nullptr;
inline MPI_Win win_null = nullptr;
inline MPI_File file_null = nullptr;
inline MPI_Datatype datatype_null = nullptr;
inline MPI_Datatype byte = nullptr;
inline MPI_Request request_null = nullptr;
inline MPI_Op no_op = nullptr;
inline MPI_Op op_null = nullptr;
inline MPI_Op sum = nullptr;
inline MPI_Op product = nullptr;
inline MPI_Message no_process = nullptr;
inline MPI_Message message_no_proc() { return no_process; }

// Variables of the library by their names; nullptr if this version lacks one.
template <class Handle, std::size_t count>
inline void find_all(const char *const (&names)[count], Handle (&found)[count]) {
  for (std::size_t i = 0; i < count; ++i) found[i] = static_cast<Handle>(library::variable(names[i]));
}

template <class Handle, std::size_t count>
inline bool is_among(Handle wanted, const Handle (&all)[count]) {
  for (const Handle one : all) {
    if (one == wanted) return true;
  }
  return false;
}

#define RANKWISE_NAME(name) #name,
inline constexpr const char *exact_operation_names[] = {RANKWISE_OPENMPI_EXACT_OPERATIONS(RANKWISE_NAME)};
inline constexpr const char *whole_number_names[] = {RANKWISE_OPENMPI_WHOLE_NUMBERS(RANKWISE_NAME)};
#undef RANKWISE_NAME
inline MPI_Op exact_operations[std::size(exact_operation_names)] = {};
inline MPI_Datatype whole_numbers[std::size(whole_number_names)] = {};

// Predefined datatypes whose sizes are queried once, the most usual first. Others are queried each time: the handle of
// a datatype that the program made may be reused for another.
inline constexpr const char *usual_datatypes[] = {
#define RANKWISE_NAME(name) #name,
    RANKWISE_OPENMPI_DATATYPES(RANKWISE_NAME)
#undef RANKWISE_NAME
};

// Their sizes, by handle. Never changed after MPI_Init, so that threads may read it together.
struct Known {
  MPI_Datatype datatype = nullptr;
  std::int32_t bytes = -1;
  bool is_whole_number = false;
};
inline Known known_datatypes[128];

inline Known &known_datatype(MPI_Datatype datatype) { return known_datatypes[scatter(bits(datatype)) >> 57]; }

inline void find_datatypes() {
  using Size = int (*)(MPI_Datatype, MPI_Count *);
  const auto size = reinterpret_cast<Size>(library::function("PMPI_Type_size_x"));
  for (const char *name : usual_datatypes) {
    auto *const datatype = static_cast<MPI_Datatype>(library::variable(name));
    MPI_Count bytes = 0;
    if (size == nullptr || datatype == nullptr || known_datatype(datatype).datatype != nullptr) continue;
    if (size(datatype, &bytes) != success) continue;
    known_datatype(datatype) = {datatype, static_cast<std::int32_t>(bytes), is_among(datatype, whole_numbers)};
  }
}

// MPI_SUM and MPI_PROD.
inline bool is_arithmetic(MPI_Op op) { return op == sum || op == product; }

// Predefined operations whose result is the same in any order of the operands.
inline bool is_exact(MPI_Op op) { return is_among(op, exact_operations); }

// Predefined datatypes of integers and truth values.
inline bool is_whole_number(MPI_Datatype datatype) {
  const Known &known = known_datatype(datatype);
  return known.datatype == datatype ? known.is_whole_number : is_among(datatype, whole_numbers);
}

inline void find_constants(const char * /*version*/) {
#define RANKWISE_FIND(ours, type, name) ours = static_cast<type>(library::variable(#name));
  RANKWISE_OPENMPI_CONSTANTS(RANKWISE_FIND)
#undef RANKWISE_FIND
  find_all(exact_operation_names, exact_operations);
  find_all(whole_number_names, whole_numbers);
  find_datatypes();
}

// MPI_ERR_IN_STATUS: some of the requests failed; their statuses contain the errors.
inline bool is_error_in_status(int code) { return code == 18; }

// MPI_ERR_PENDING, in a status: the request has neither failed nor completed.
inline bool is_pending(int code) { return code == 19; }

// Bytes of an operation that can't be cancelled.
inline std::uint64_t bytes_of(const MPI_Status &status) { return status.bytes; }

// Bytes received, -1 if the operation was cancelled.
inline std::int64_t received_bytes(const MPI_Status &status) {
  return status.cancelled != 0 ? -1 : static_cast<std::int64_t>(status.bytes);
}

// A file's access mode in the numbers of rankwise_file_mode.
inline std::uint32_t file_mode(int amode) { return static_cast<std::uint32_t>(amode) & 0x1FF; }

// The size of a datatype if its handle contains it, else -1.
inline std::int64_t size_in_handle(MPI_Datatype datatype) {
  const Known &known = known_datatype(datatype);
  return known.datatype == datatype ? known.bytes : -1;
}

}  // namespace abi
