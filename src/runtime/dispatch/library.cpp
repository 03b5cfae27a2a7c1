#include "library.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>

#include "choice.h"

namespace rankwise::library {

namespace {

const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

bool contains(const char *text, const char *part) { return strstr(text, part) != nullptr; }

template <std::size_t count>
bool begins_with_any(const char *path, const char *const (&prefixes)[count]) {
  const char *name = base_name(path);
  for (const char *prefix : prefixes) {
    if (strncmp(name, prefix, strlen(prefix)) == 0) return true;
  }
  return false;
}

// The path of the n-th object that looks like the MPI library.
struct Candidate {
  int number;
  char path[4096];
};

int look_at(dl_phdr_info *info, std::size_t /*bytes*/, void *wanted) {
  auto &candidate = *static_cast<Candidate *>(wanted);
  if (info->dlpi_name == nullptr || !is_mpi_library(info->dlpi_name) || candidate.number-- > 0) return 0;
  snprintf(candidate.path, sizeof candidate.path, "%s", info->dlpi_name);
  return 1;
}

// The first object that looks like the MPI library and really has its functions.
//
// RATIONALE: the loader must not be called from inside dl_iterate_phdr: another thread's dlopen takes the same two
// locks in the opposite order.
void *look_for_library() {
  for (int number = 0;; ++number) {
    Candidate candidate{number, ""};
    if (dl_iterate_phdr(look_at, &candidate) == 0) return nullptr;
    void *handle = dlopen(candidate.path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    if (dlsym(handle, "PMPI_Init") != nullptr) return handle;
    dlclose(handle);
  }
}

// The MPI library, nullptr while none is loaded. Kept once found.
void *handle() {
  static void *kept = nullptr;
  if (kept != nullptr) return kept;
  void *found = look_for_library();
  // RATIONALE: a process without MPI doesn't need a page of memory for it.
  if (found != nullptr) kept = found;
  return found;
}

Seen look_into(void *library) {
  // Open MPI's predefined handles are the addresses of objects; the others' are numbers.
  if (dlsym(library, "ompi_mpi_comm_world") != nullptr) return {RANKWISE_ABI_OPENMPI, true};
  link_map *map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, static_cast<void *>(&map)) != 0) return {RANKWISE_ABI_MPICH, false};
  const char *name = base_name(map->l_name);
  if (contains(name, "_abi")) return {RANKWISE_ABI_MPIABI, true};
  return {RANKWISE_ABI_MPICH, contains(name, ".so.12")};
}

}  // namespace

bool is_mpi_library(const char *path) {
  const char *name = base_name(path);
  // (Builds without weak symbols have the PMPI_ names in a separate library.)
  const bool is_named = strncmp(name, "libmpi", 6) == 0 || strncmp(name, "libpmpi", 7) == 0;
  if (!is_named || !contains(name, ".so")) return false;
  static constexpr const char *bindings[] = {"fort", "mpifh", "usempi", "cxx", "++", "java", "wrapper"};
  for (const char *binding : bindings) {
    if (contains(name, binding)) return false;
  }
  return true;
}

bool is_component(const char *path) {
  static constexpr const char *prefixes[] = {"mca_", "libmca_", "liboshmem"};
  return begins_with_any(path, prefixes);
}

bool is_fortran_binding(const char *path) {
  static constexpr const char *prefixes[] = {"libmpi_mpifh", "libmpi_usempi", "libmpi_abi_f", "libmpichf",
                                             "libmpifort"};
  return begins_with_any(path, prefixes);
}

bool belongs_to_mpi(const char *path) {
  static constexpr const char *prefixes[] = {"libmpi_cxx", "libmpicxx", "libmpichcxx"};
  return is_mpi_library(path) || is_component(path) || is_fortran_binding(path) || begins_with_any(path, prefixes);
}

rankwise_abi abi() {
  void *library = handle();
  return library == nullptr ? RANKWISE_ABI_NONE : asked_for(look_into(library));
}

bool is_in_sight() {
  Candidate candidate{0, ""};
  return dl_iterate_phdr(look_at, &candidate) != 0;
}

void *function(const char *name) {
  void *library = handle();
  return library == nullptr ? nullptr : dlsym(library, name);
}

void *variable(const char *name) {
  void *found = dlsym(RTLD_DEFAULT, name);
  return found != nullptr ? found : function(name);
}

void *find_next(Slot slot) {
  const char *name = slot_facts[static_cast<int>(slot)].name;
  // RTLD_NEXT finds another preloaded tool first, so that we stack. It finds nothing if the MPI library was loaded by
  // dlopen (Python); then the library itself is queried.
  void *found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) found = function(name);
  __atomic_store_n(&next_functions[static_cast<int>(slot)], found, __ATOMIC_RELAXED);
  return found;
}

}  // namespace rankwise::library
