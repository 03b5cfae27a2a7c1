#include "placement_library.h"

#include <dlfcn.h>

#include <climits>
#include <cstdio>
#include <cstring>

#include "../runtime/lock.h"

namespace rankwise::reordering::placement_library {
namespace {

constexpr char name[] = "librankwise_placement.so.0";

// Kept once found.
Lock loading;
void *library = nullptr;

void *load(char *problem, std::size_t room) {
  Dl_info own{};
  char path[PATH_MAX];
  // For a statically linked program, there is no directory.
  if (dladdr(reinterpret_cast<const void *>(&load), &own) == 0 || strstr(own.dli_fname, ".so") == nullptr) {
    snprintf(problem, room, "a program that has Rankwise linked in statically can't load %s", name);
    return nullptr;
  }
  const char *slash = strrchr(own.dli_fname, '/');
  const std::size_t directory = slash == nullptr ? 0 : static_cast<std::size_t>(slash + 1 - own.dli_fname);
  snprintf(path, sizeof path, "%.*s%s", static_cast<int>(directory), own.dli_fname, name);
  // RATIONALE: it is linked with all its dependencies, and its symbols must not be visible to others.
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) snprintf(problem, room, "%s can't be loaded: the installation is incomplete", path);
  return library;
}

}  // namespace

void *address_of(const char *function, char *problem, std::size_t room) {
  const Guard guard(loading);
  if (library == nullptr) library = load(problem, room);
  if (library == nullptr) return nullptr;
  void *address = dlsym(library, function);
  if (address == nullptr) snprintf(problem, room, "%s is of another version: the installation is broken", name);
  return address;
}

}  // namespace rankwise::reordering::placement_library
