#include "loader_functions.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "../dispatch/library.h"
#include "references.h"

extern "C" {
// The libc of such a glibc uses these to load libraries for itself.
[[gnu::weak]] void *__libc_dlopen_mode(const char *name, int mode);  // NOLINT(bugprone-reserved-identifier)
[[gnu::weak]] void *__libc_dlsym(void *library, const char *name);   // NOLINT(bugprone-reserved-identifier)
}

namespace rankwise::loader_functions {
namespace {

// Our own references to the functions, which the loader has left empty or would bind at the first call.
int fill_in(dl_phdr_info *info, std::size_t /*bytes*/, void *libdl) {
  if (!references::lies_in(reinterpret_cast<void *>(&fill_in), *info)) return 0;
  const references::Protection read_only(*info);
  references::for_each(*info, [&](const char *name, const ElfW(Sym) &, void **place) {
    const bool bound = *place != nullptr && !references::lies_in(*place, *info);
    if (!bound && strncmp(name, "dl", 2) == 0) references::set(place, __libc_dlsym(libdl, name), read_only);
  });
  return 1;
}

}  // namespace

bool are_there() {
  if (dlsym != nullptr) return true;
  if (__libc_dlopen_mode == nullptr || __libc_dlsym == nullptr || !library::is_in_sight()) return false;
  void *libdl = __libc_dlopen_mode("libdl.so.2", RTLD_NOW | RTLD_GLOBAL);
  return libdl != nullptr && dl_iterate_phdr(fill_in, libdl) != 0;
}

}  // namespace rankwise::loader_functions
