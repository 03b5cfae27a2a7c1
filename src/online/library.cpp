#include "library.h"

#include <dlfcn.h>

#include <cstring>

namespace rankwise::online::library {

namespace {

bool has_ints = false;  // for handles
const void *in_place = nullptr;
Constants known = {};

// The libraries that the caller is linked with.
void *linked_with(const char *name, void *caller) {
  Dl_info at;
  if (caller == nullptr || dladdr(caller, &at) == 0) return nullptr;
  void *file = dlopen(at.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (file == nullptr) return nullptr;
  void *found = dlsym(file, name);
  dlclose(file);
  return found;
}

// RATIONALE: a program that was linked for fixed addresses has a copy of the object, and the library then uses that
// copy. So we need the first definition of all, not the next after ours.
Word object(const char *name, void *caller) {
  void *found = dlsym(RTLD_DEFAULT, name);
  return reinterpret_cast<Word>(found != nullptr ? found : linked_with(name, caller));
}

bool open_openmpi(void *caller) {
  known.comm_world = object("ompi_mpi_comm_world", caller);
  if (known.comm_world == 0) return false;
  known.comm_null = object("ompi_mpi_comm_null", caller);
  known.group_null = object("ompi_mpi_group_null", caller);
  known.errors_return = object("ompi_mpi_errors_return", caller);
  known.type_long = object("ompi_mpi_long", caller);
  known.sum = object("ompi_mpi_op_sum", caller);
  known.maximum = object("ompi_mpi_op_max", caller);
  in_place = reinterpret_cast<const void *>(1);
  return known.comm_null != 0 && known.group_null != 0 && known.errors_return != 0 && known.type_long != 0 &&
         known.sum != 0 && known.maximum != 0;
}

// MPICH and libraries with its ABI (libmpi.so.12), but not the standard ABI of MPI 5, which has other numbers.
bool open_mpich(void *caller) {
  void *start = function("PMPI_Init", caller);
  Dl_info at;
  if (start == nullptr || dladdr(start, &at) == 0 || strstr(at.dli_fname, "_abi") != nullptr) return false;
  has_ints = true;
  known = {.comm_world = 0x44000000,
           .comm_null = 0x04000000,
           .group_null = 0x08000000,
           .errors_return = 0x54000001,
           .type_long = 0x4c000807,
           .sum = 0x58000003,
           .maximum = 0x58000001};
  in_place = reinterpret_cast<const void *>(-1);
  return true;
}

template <class Function>
Function *asked(const char *name) {
  return reinterpret_cast<Function *>(function(name));
}

}  // namespace

void *function(const char *name, void *caller) {
  static void *seen_from = nullptr;
  if (caller != nullptr) seen_from = caller;
  if (void *found = dlsym(RTLD_NEXT, name)) return found;
  return linked_with(name, seen_from);
}

bool open(void *caller) {
  if (!open_openmpi(caller) && !open_mpich(caller)) return false;
  auto *const begin = asked<int(int, int *)>("MPI_T_init_thread");
  int provided;
  return begin != nullptr && begin(0, &provided) == kSuccess;
}

Word meaning(Word handle) { return has_ints ? static_cast<std::uint32_t>(handle) : handle; }

Word written(const void *memory) {
  if (!has_ints) {
    Word handle;
    memcpy(&handle, memory, sizeof handle);
    return handle;
  }
  int handle;
  memcpy(&handle, memory, sizeof handle);
  return static_cast<Word>(static_cast<std::intptr_t>(handle));
}

bool is_in_place(const void *buffer) { return buffer == in_place; }

const Constants &constants() { return known; }

void *variable(const char *name) {
  static auto *const index_of = asked<int(const char *, int *)>("MPI_T_cvar_get_index");
  static auto *const allocate = asked<int(int, void *, void **, int *)>("MPI_T_cvar_handle_alloc");
  int index, count;
  void *handle = nullptr;
  if (index_of == nullptr || allocate == nullptr || index_of(name, &index) != kSuccess) return nullptr;
  if (allocate(index, nullptr, &handle, &count) != kSuccess) return nullptr;
  return count == 1 ? handle : nullptr;
}

bool read(void *variable, int *value) {
  static auto *const reads = asked<int(void *, void *)>("MPI_T_cvar_read");
  std::int64_t room[32] = {};  // for a variable that is no integer
  if (reads == nullptr || variable == nullptr || reads(variable, room) != kSuccess) return false;
  memcpy(value, room, sizeof *value);
  return true;
}

bool write(void *variable, int value) {
  static auto *const writes = asked<int(void *, const void *)>("MPI_T_cvar_write");
  return writes != nullptr && variable != nullptr && writes(variable, &value) == kSuccess;
}

}  // namespace rankwise::online::library
