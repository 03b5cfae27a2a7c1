// What src/runtime/abi/FAMILY.h says of mpi.h, with the keys of abi.c. Compiled without any MPI:
// -DABI_FAMILY=openmpi -DABI_HEADER='"path"'. Arguments `datatype:HANDLE`, `mode:NUMBER` and `status:HEX` are read as
// the runtime would read them, one line of answer each.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "../../../src/runtime/abi/openmpi_variables.h"
#include "../../../src/runtime/format.h"
#include "../../../src/runtime/hash.h"

namespace rankwise {

// Stands in for src/runtime/dispatch/library.h: there is no MPI library here.
namespace library {
inline void *variable(const char *) { return nullptr; }
inline void *function(const char *) { return nullptr; }
}  // namespace library

namespace ABI_FAMILY {
#include ABI_HEADER
}  // namespace ABI_FAMILY

}  // namespace rankwise

using namespace rankwise::ABI_FAMILY;

namespace {

template <class Handle>
long long number(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return static_cast<long long>(reinterpret_cast<std::intptr_t>(handle));
  } else {
    return handle;
  }
}

void put(const char *key, long long value) { std::printf("%s %lld\n", key, value); }

template <class Handle>
Handle handle_of(long long value) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(static_cast<std::intptr_t>(value));
  } else {
    return static_cast<Handle>(value);
  }
}

void answer(const char *question) {
  if (std::strncmp(question, "datatype:", 9) == 0) {
    put(question, abi::size_in_handle(handle_of<MPI_Datatype>(std::atoll(question + 9))));
  } else if (std::strncmp(question, "mode:", 5) == 0) {
    put(question, abi::file_mode(std::atoi(question + 5)));
  } else if (std::strncmp(question, "status:", 7) == 0) {
    MPI_Status status;
    auto *bytes = reinterpret_cast<unsigned char *>(&status);
    for (std::size_t i = 0; i < sizeof status; ++i) {
      const char digits[] = {question[7 + 2 * i], question[8 + 2 * i], '\0'};
      bytes[i] = static_cast<unsigned char>(std::strtoul(digits, nullptr, 16));
    }
    put(question, abi::received_bytes(status));
  }
}

}  // namespace

int main(int argc, char **argv) {
  put("sizeof MPI_Comm", sizeof(MPI_Comm));
  put("sizeof MPI_Datatype", sizeof(MPI_Datatype));
  put("sizeof MPI_File", sizeof(MPI_File));
  put("sizeof MPI_Group", sizeof(MPI_Group));
  put("sizeof MPI_Info", sizeof(MPI_Info));
  put("sizeof MPI_Message", sizeof(MPI_Message));
  put("sizeof MPI_Op", sizeof(MPI_Op));
  put("sizeof MPI_Request", sizeof(MPI_Request));
  put("sizeof MPI_Win", sizeof(MPI_Win));
  put("sizeof MPI_Aint", sizeof(MPI_Aint));
  put("sizeof MPI_Offset", sizeof(MPI_Offset));
  put("sizeof MPI_Count", sizeof(MPI_Count));
  put("sizeof MPI_Status", sizeof(MPI_Status));
  put("alignof MPI_Status", alignof(MPI_Status));
  put("offset MPI_SOURCE", offsetof(MPI_Status, MPI_SOURCE));
  put("offset MPI_TAG", offsetof(MPI_Status, MPI_TAG));
  put("offset MPI_ERROR", offsetof(MPI_Status, MPI_ERROR));
  put("MPI_SUCCESS", abi::success);
  put("MPI_UNDEFINED", abi::undefined);
  put("MPI_PROC_NULL", abi::proc_null);
  put("MPI_ROOT", abi::root);
  put("MPI_CART", abi::topology_cart);
  put("MPI_GRAPH", abi::topology_graph);
  put("MPI_DIST_GRAPH", abi::topology_dist_graph);
  put("MPI_THREAD_SINGLE", abi::thread_levels[0]);
  put("MPI_THREAD_FUNNELED", abi::thread_levels[1]);
  put("MPI_THREAD_SERIALIZED", abi::thread_levels[2]);
  put("MPI_THREAD_MULTIPLE", abi::thread_levels[3]);
  put("MPI_IN_PLACE", number(abi::in_place()));
  put("MPI_STATUS_IGNORE", number(abi::status_ignore()));
  // The runtime has one constant for both.
  put("MPI_STATUSES_IGNORE", number(abi::status_ignore()));
  put("MPI_MAX_LIBRARY_VERSION_STRING", static_cast<long long>(abi::library_version_bytes));
  put("MPI_COMM_NULL", number(abi::comm_null));
  put("MPI_COMM_WORLD", number(abi::comm_world));
  put("MPI_COMM_SELF", number(abi::comm_self));
  put("MPI_DATATYPE_NULL", number(abi::datatype_null));
  put("MPI_BYTE", number(abi::byte));
  put("MPI_REQUEST_NULL", number(abi::request_null));
  put("MPI_WIN_NULL", number(abi::win_null));
  put("MPI_FILE_NULL", number(abi::file_null));
  put("MPI_NO_OP", number(abi::no_op));
  put("MPI_OP_NULL", number(abi::op_null));
  for (int i = 1; i < argc; ++i) answer(argv[i]);
  return 0;
}
