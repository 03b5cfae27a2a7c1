#include "memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace rankwise::memory {
namespace {

constexpr std::uintptr_t page_bytes = 4096;

// Bytes that could be copied by a system call that takes no descriptor; -1 where the system doesn't let us.
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

// A pipe reads memory for us: write() fails with EFAULT where an access of our own would kill the program.
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

// Where the kernel put the command line and the environment: fields 48 to 51 of /proc/self/stat.
bool is_argument(const void *address) {
  FILE *file = fopen("/proc/self/stat", "re");
  if (file == nullptr) return false;
  char line[1024] = "";
  const bool read = fgets(line, sizeof line, file) != nullptr;
  fclose(file);
  const char *field = read ? strrchr(line, ')') : nullptr;  // the name before may hold spaces
  unsigned long long start = 0;
  unsigned long long end = 0;
  for (int number = 2; field != nullptr && number < 51; ++number) {
    field = strchr(field + 1, ' ');
    if (field == nullptr) break;
    if (number + 1 == 48) sscanf(field, "%llu", &start);
    if (number + 1 == 51) sscanf(field, "%llu", &end);
  }
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  return start != 0 && value >= start && value < end;
}

}  // namespace

bool read_text(const void *address, char *text, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) < page_bytes) return false;
  const ssize_t directly = copy_directly(address, text, bytes);
  const std::size_t copied = directly >= 0 ? static_cast<std::size_t>(directly) : Peeker().copy(address, text, bytes);
  const std::size_t length = strnlen(text, copied);
  if (length == 0 || length == copied) return false;
  for (std::size_t i = 0; i < length; ++i) {
    if (text[i] < ' ' || text[i] > '~') return false;
  }
  return !is_argument(address);
}

}  // namespace rankwise::memory
