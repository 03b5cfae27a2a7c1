// Functions that newer compilers and headers of a newer glibc need, implemented with old ones. They are hidden, and the
// linker drops unused ones.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>

struct stat;

extern "C" {

// glibc 2.33. Both architectures have only one layout, the kernel's.
int fstat(int file, struct stat *about) { return static_cast<int>(syscall(SYS_fstat, file, about)); }

// glibc links it into each library, and it calls this function, which musl lacks.
using Handler = void (*)();
extern char __dso_handle;
[[gnu::weak]] int __register_atfork(Handler prepare, Handler parent, Handler child, void *object);

int pthread_atfork(Handler prepare, Handler parent, Handler child) noexcept {
  if (__register_atfork != nullptr) return __register_atfork(prepare, parent, child, &__dso_handle);
  using Function = int (*)(Handler, Handler, Handler);
  const auto own = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "pthread_atfork"));
  return own != nullptr ? own(prepare, parent, child) : ENOSYS;
}

// libgcc uses this name to find out which atomic operations an AArch64 has.
unsigned long __getauxval(unsigned long type) { return getauxval(type); }

// glibc 2.32: false tells libstdc++ that there may be threads.
extern const char __libc_single_threaded;
const char __libc_single_threaded = 0;

// glibc 2.38: accepts numbers that begin with 0b, which we never use.
long old_strtol(const char *text, char **end, int base) __asm__("strtol");
long __isoc23_strtol(const char *text, char **end, int base) { return old_strtol(text, end, base); }

unsigned long old_strtoul(const char *text, char **end, int base) __asm__("strtoul");
unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return old_strtoul(text, end, base); }

int old_vsscanf(const char *text, const char *format, va_list values) __asm__("__isoc99_vsscanf");
int __isoc23_sscanf(const char *text, const char *format, ...) {
  va_list values;
  va_start(values, format);
  const int found = old_vsscanf(text, format, values);
  va_end(values);
  return found;
}

#if defined DLFO_STRUCT_HAS_EH_DBASE
// glibc 2.35: libgcc uses it to find the unwind tables of an object.
int _dl_find_object(void *address, dl_find_object *found) noexcept {
  struct Search {
    std::uintptr_t address;
    dl_find_object *found;
  } search{reinterpret_cast<std::uintptr_t>(address), found};
  const auto look_at = [](dl_phdr_info *info, std::size_t /*bytes*/, void *wanted) {
    const auto &[place, object] = *static_cast<Search *>(wanted);
    const ElfW(Phdr) *tables = nullptr;
    bool is_it = false;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr) &segment = info->dlpi_phdr[i];
      const std::uintptr_t start = info->dlpi_addr + segment.p_vaddr;
      if (segment.p_type == PT_GNU_EH_FRAME) tables = &segment;
      if (segment.p_type != PT_LOAD || place < start || place >= start + segment.p_memsz) continue;
      is_it = true;
      object->dlfo_map_start = reinterpret_cast<void *>(start);
      object->dlfo_map_end = reinterpret_cast<void *>(start + segment.p_memsz);
    }
    if (!is_it || tables == nullptr) return 0;
    object->dlfo_eh_frame = reinterpret_cast<void *>(info->dlpi_addr + tables->p_vaddr);
    return 1;
  };
  *found = {};
  return dl_iterate_phdr(look_at, &search) != 0 ? 0 : -1;
}
#endif
}
