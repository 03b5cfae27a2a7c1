#include "memory.h"

#include <fcntl.h>
#include <link.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "lock.h"

namespace rankwise::memory {
namespace {

constexpr std::uintptr_t page_bytes = 4096;

// Bytes that could be copied by a system call that takes no descriptor; -1 if the system forbids it.
ssize_t copy_directly(const void *address, char *to, std::size_t bytes) {
  const auto from = reinterpret_cast<std::uintptr_t>(address);
  const std::size_t to_page_end = page_bytes - from % page_bytes;
  const std::size_t first = bytes < to_page_end ? bytes : to_page_end;
  // One entry a page: an entry is copied whole or not at all. (The texts are shorter than a page.)
  const iovec there[] = {{reinterpret_cast<void *>(from), first},
                         {reinterpret_cast<void *>(from + first), bytes - first}};
  const iovec here = {to, bytes};
  const ssize_t copied = process_vm_readv(getpid(), &here, 1, there, 2, 0);
  return copied < 0 && errno == EFAULT ? 0 : copied;
}

// A pipe reads memory for us: write() fails with EFAULT if our own access would kill the program.
class Peeker {
 public:
  Peeker() { open_ = pipe2(ends_, O_CLOEXEC | O_NONBLOCK) == 0; }
  ~Peeker() {
    if (!open_) return;
    close(ends_[0]);
    close(ends_[1]);
  }
  Peeker(const Peeker &) = delete;
  Peeker &operator=(const Peeker &) = delete;

  // Bytes that could be copied; stops before the first unreadable page.
  std::size_t copy(const void *address, char *to, std::size_t bytes) {
    std::size_t done = 0;
    while (open_ && done < bytes) {
      const auto from = reinterpret_cast<std::uintptr_t>(address) + done;
      const std::size_t to_page_end = page_bytes - from % page_bytes;
      const std::size_t part = bytes - done < to_page_end ? bytes - done : to_page_end;
      if (write(ends_[1], reinterpret_cast<const void *>(from), part) != static_cast<ssize_t>(part)) break;
      if (read(ends_[0], to + done, part) != static_cast<ssize_t>(part)) break;
      done += part;
    }
    return done;
  }

 private:
  int ends_[2] = {-1, -1};
  bool open_ = false;
};

struct Range {
  std::uintptr_t begin;
  std::uintptr_t end;

  bool has(const void *address) const {
    const auto value = reinterpret_cast<std::uintptr_t>(address);
    return value >= begin && value < end;
  }
  // How many of this many bytes from an address in it on are in it, too.
  std::size_t rest(const void *address, std::size_t bytes) const {
    const std::size_t left = end - reinterpret_cast<std::uintptr_t>(address);
    return left < bytes ? left : bytes;
  }
};

// Facts about the process that do not change.
struct Image {
  Range constants[8];  // of the program: its read-only segments
  unsigned count;
  Range arguments;
  bool tells_readable;  // supported by the kernel, see fault_at()
};

// Copies the text, or this many bytes of it, if all of them are readable; returns how many.
//
// RATIONALE: not by a function of the C library. Sanitizers intercept these, and end the program if they suspect an
// invalid access; and the memory after the text may be invalid.
std::size_t copy_text(const void *address, char *to, std::size_t bytes) {
  const auto *from = static_cast<const volatile char *>(address);
  for (std::size_t i = 0; i < bytes; ++i) {
    to[i] = from[i];
    if (to[i] == '\0') return i + 1;
  }
  return bytes;
}

// EFAULT if the eight bytes around an address can't be read, else EINVAL: the kernel reads a set of signals before it
// rejects the operation. No other system call reports that so quickly.
int fault_at(std::uintptr_t address) {
  constexpr int nothing = -1;
  const auto *set = reinterpret_cast<const void *>(address & ~std::uintptr_t{7});
  return syscall(SYS_rt_sigprocmask, nothing, set, nullptr, 8) == 0 ? 0 : errno;
}

// (Emulators check in another order. Valgrind intercepts the call, and would report an error to the user.)
bool kernel_tells_readable() {
  const char *preloaded = std::getenv("LD_PRELOAD");
  if (preloaded != nullptr && strstr(preloaded, "vgpreload_") != nullptr) return false;
  const std::uintptr_t nowhere = 8;
  const auto here = reinterpret_cast<std::uintptr_t>(&nowhere);
  return fault_at(here) == EINVAL && fault_at(nowhere) == EFAULT;
}

// Bytes of a text that could be copied; stops before the first unreadable page.
std::size_t copy_readable(const void *address, char *to, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const auto from = reinterpret_cast<std::uintptr_t>(address) + done;
    const std::size_t to_page_end = page_bytes - from % page_bytes;
    const std::size_t part = bytes - done < to_page_end ? bytes - done : to_page_end;
    if (fault_at(from) != EINVAL) break;
    const std::size_t copied = copy_text(reinterpret_cast<const void *>(from), to + done, part);
    done += copied;
    if (to[done - 1] == '\0') break;
  }
  return done;
}

// Where the kernel put the command line and the environment: fields 48 to 51 of /proc/self/stat.
Range read_arguments() {
  FILE *file = fopen("/proc/self/stat", "re");
  if (file == nullptr) return {};
  char line[1024] = "";
  const bool read = fgets(line, sizeof line, file) != nullptr;
  fclose(file);
  const char *field = read ? strrchr(line, ')') : nullptr;  // the name before it may contain spaces
  unsigned long long start = 0;
  unsigned long long end = 0;
  for (int number = 2; field != nullptr && number < 51; ++number) {
    field = strchr(field + 1, ' ');
    if (field == nullptr) break;
    if (number + 1 == 48) sscanf(field, "%llu", &start);
    if (number + 1 == 51) sscanf(field, "%llu", &end);
  }
  return {static_cast<std::uintptr_t>(start), static_cast<std::uintptr_t>(end)};
}

// The first object is the program.
int add_constants(dl_phdr_info *info, std::size_t /*bytes*/, void *image_of) {
  auto *image = static_cast<Image *>(image_of);
  constexpr unsigned most = sizeof image->constants / sizeof image->constants[0];
  for (int i = 0; i < info->dlpi_phnum && image->count < most; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0 || (segment.p_flags & PF_R) == 0) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    image->constants[image->count++] = {begin, begin + segment.p_memsz};
  }
  return 1;
}

const Image &image() {
  static Image found{};
  static bool is_known = false;
  static Lock lock;
  if (!__atomic_load_n(&is_known, __ATOMIC_ACQUIRE)) {
    const Guard guard(lock);
    if (!is_known) {
      dl_iterate_phdr(add_constants, &found);
      found.arguments = read_arguments();
      found.tells_readable = kernel_tells_readable();
      __atomic_store_n(&is_known, true, __ATOMIC_RELEASE);
    }
  }
  return found;
}

const Range *constants_with(const void *address) {
  const Image &known = image();
  for (unsigned i = 0; i < known.count; ++i) {
    if (known.constants[i].has(address)) return &known.constants[i];
  }
  return nullptr;
}

// Bytes that could be copied.
//
// RATIONALE: names of regions are mostly literals. Asking the kernel for a name takes longer than all other work at the
// start of a region.
std::size_t copy_from(const void *address, char *to, std::size_t bytes) {
  if (const Range *range = constants_with(address); range != nullptr) {
    return copy_text(address, to, range->rest(address, bytes));
  }
  if (image().tells_readable) return copy_readable(address, to, bytes);
  const ssize_t directly = copy_directly(address, to, bytes);
  return directly >= 0 ? static_cast<std::size_t>(directly) : Peeker().copy(address, to, bytes);
}

}  // namespace

bool is_of_program(const void *address) { return constants_with(address) != nullptr; }

bool read_text(const void *address, char *text, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) < page_bytes) return false;
  const std::size_t copied = copy_from(address, text, bytes);
  const std::size_t length = strnlen(text, copied);
  if (length == 0 || length == copied) return false;
  for (std::size_t i = 0; i < length; ++i) {
    if (text[i] < ' ' || text[i] > '~') return false;
  }
  return !image().arguments.has(address);
}

}  // namespace rankwise::memory
