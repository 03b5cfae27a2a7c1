#include "loader_calls.h"

#include <dlfcn.h>

#include <cstring>

#include "../dispatch/dispatch.h"
#include "relocations.h"
#include "slot_names.h"

extern "C" {
// Called by loader_calls.S. The first returns the result, or nullptr to let the loader answer.
void *rankwise_before_dlsym(void *handle, const char *name);
void rankwise_before_dlopen(const char *path, int mode);
}

namespace rankwise::loader_calls {
namespace {

// Our function for a procedure that is looked up in the MPI library: by its handle, as foreign-function interfaces do
// (Python's ctypes and cffi, Julia's ccall), or by the handle of an object that depends on it.
//
// RATIONALE: callers that look for the next one (RTLD_NEXT) are before it in the order, as we are, and get the true
// answer.
void *procedure(void *handle, const char *name) {
  if (handle == RTLD_NEXT || name == nullptr || !is_mpi_name(name)) return nullptr;
  const int slot = slot_named(name);
  if (slot < 0) return nullptr;
  void *ours = dispatch::symbol(static_cast<Slot>(slot));
  void *found = dlsym(handle, name);
  // (An object that was opened with RTLD_DEEPBIND has a different order for RTLD_DEFAULT.)
  if (found == ours) return ours;
  return found != nullptr && relocations::is_library_s_own(static_cast<Slot>(slot), found) ? ours : nullptr;
}

}  // namespace

void *stand_in(const char *name) {
  if (name[0] != 'd' || name[1] != 'l') return nullptr;
  if (strcmp(name, "dlsym") == 0) return reinterpret_cast<void *>(&rankwise_dlsym);
  if (strcmp(name, "dlopen") == 0) return reinterpret_cast<void *>(&rankwise_dlopen);
  return nullptr;
}

}  // namespace rankwise::loader_calls

void *rankwise_before_dlsym(void *handle, const char *name) {
  rankwise::relocations::redirect_new();
  return rankwise::loader_calls::procedure(handle, name);
}

void rankwise_before_dlopen(const char * /*path*/, int mode) {
  rankwise::relocations::redirect_late();
#ifdef RTLD_DEEPBIND
  if ((mode & RTLD_DEEPBIND) != 0) rankwise::relocations::expect_deep_binding();
#endif
}
