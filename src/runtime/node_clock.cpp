#include "node_clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "clock.h"
#include "hash.h"
#include "host.h"

namespace rankwise::node_clock {
namespace {

const char *test() { return std::getenv("RANKWISE_TEST_CLOCKS"); }

std::uint64_t hash_of(const char *text, std::size_t length) {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < length; ++i) hash = chain(hash, static_cast<unsigned char>(text[i]));
  return hash;
}

}  // namespace

std::uint64_t id() {
  if (test() != nullptr) {
    char host[64];
    host_name(host);
    return hash_of(host, strlen(host));
  }
  // Not the host name: containers of a node may have different names.
  char text[64];
  const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, text, sizeof text);
  close(file);
  return length > 0 ? hash_of(text, static_cast<std::size_t>(length)) : 0;
}

void read_test() {
#if defined(__x86_64__)
  const char *clocks = test();
  if (clocks == nullptr) return;
  char host[64];
  host_name(host);
  const std::size_t length = strlen(host);
  for (const char *one = clocks; one != nullptr; one = strchr(one, ',')) {
    if (*one == ',') ++one;
    if (strncmp(one, host, length) == 0 && one[length] == ':')
      clock::shift_ns = std::strtol(one + length + 1, nullptr, 10);
  }
  clock::use_counter = false;
#endif
}

}  // namespace rankwise::node_clock
