// What the names of loaded objects tell. Statically linked programs may load some, too.
#include <cstring>

#include "library.h"

namespace rankwise::library {

namespace {

bool contains(const char *text, const char *part) { return strstr(text, part) != nullptr; }

template <std::size_t count>
bool begins_with_any(const char *path, const char *const (&prefixes)[count]) {
  const char *name = base_name(path);
  for (const char *prefix : prefixes) {
    if (strncmp(name, prefix, strlen(prefix)) == 0) return true;
  }
  return false;
}

}  // namespace

const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

bool is_mpi_library(const char *path) {
  const char *name = base_name(path);
  // (Builds without weak symbols have the PMPI_ names in a library of their own.)
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

}  // namespace rankwise::library
