#include "counters_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "clock.h"
#include "generated/procedures.h"
#include "lock.h"

namespace rankwise::counters_file {
namespace {

// Bounds of one process's file. Only what is used is ever touched, so these are no memory.
constexpr std::uint64_t most_bytes = 64U << 20;
constexpr std::uint64_t most_bytes_ordinary = 56U << 20;
constexpr std::uint64_t first_bytes = 512U << 10;
constexpr std::uint64_t step_bytes = 1U << 20;
constexpr std::uint64_t page_bytes = 4096;

int file = -1;
char *base = nullptr;
std::uint64_t used_bytes = 0;
Lock growth;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

rankwise_section *directory() { return reinterpret_cast<rankwise_section *>(base + sizeof(rankwise_header)); }

// posix_fallocate returns its error; it may be interrupted by the signals that profilers and schedulers send.
bool reserve(std::uint64_t from, std::uint64_t to) {
  int error = 0;
  do {
    error = posix_fallocate(file, static_cast<off_t>(from), static_cast<off_t>(to - from));
  } while (error == EINTR);
  errno = error;
  return error == 0;
}

bool grow_to(std::uint64_t bytes) {
  rankwise_header *head = header();
  if (bytes <= head->file_bytes) return true;
  const std::uint64_t target = round_up(bytes, step_bytes);
  if (!reserve(head->file_bytes, target)) return false;
  head->file_bytes = target;
  return true;
}

}  // namespace

rankwise_header *header() { return reinterpret_cast<rankwise_header *>(base); }

bool create(const char *directory_name) {
  char host[64] = "unknown";
  gethostname(host, sizeof host - 1);
  for (char *c = host; *c != '\0'; ++c) {
    if (*c == '/') *c = '_';
  }
  char path[4096];
  const int length = snprintf(path, sizeof path, "%s/%s.%d.%llx.counters", directory_name, host, getpid(),
                              static_cast<unsigned long long>(clock::nanoseconds(CLOCK_REALTIME)));
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) {
    errno = ENAMETOOLONG;
    return false;
  }
  file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return false;
  // The mapping may be longer than the file: what lies behind its end is touched only after it has grown there.
  void *map = MAP_FAILED;
  if (reserve(0, first_bytes)) {
    map = mmap(nullptr, most_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  }
  if (map == MAP_FAILED) {
    const int error = errno;
    close(file);
    unlink(path);
    errno = error;
    return false;
  }
  base = static_cast<char *>(map);
  used_bytes = round_up(sizeof(rankwise_header) + RANKWISE_MAX_SECTIONS * sizeof(rankwise_section), page_bytes);

  rankwise_header *head = header();
  head->version = RANKWISE_FORMAT_VERSION;
  head->byte_order = RANKWISE_BYTE_ORDER;
  head->header_bytes = sizeof(rankwise_header);
  head->section_bytes = sizeof(rankwise_section);
  head->table_digest = table_digest;
  head->file_bytes = first_bytes;
  head->pid = getpid();
  snprintf(head->host, sizeof head->host, "%s", host);
  snprintf(head->runtime_version, sizeof head->runtime_version, "%s", RANKWISE_VERSION);
  memcpy(head->magic, "RANKWISE", sizeof head->magic);
  return true;
}

rankwise_section *add_section(rankwise_section_kind kind, std::size_t record_bytes, std::uint32_t capacity, int thread,
                              Need need) {
  const Guard guard(growth);
  rankwise_header *head = header();
  const std::uint64_t bytes = round_up(record_bytes * capacity, page_bytes);
  const std::uint64_t bound = need == Need::must ? most_bytes : most_bytes_ordinary;
  if (head->section_count >= RANKWISE_MAX_SECTIONS || used_bytes + bytes > bound) return nullptr;
  if (!grow_to(used_bytes + bytes)) return nullptr;
  rankwise_section *section = directory() + head->section_count;
  section->kind = kind;
  section->record_bytes = static_cast<std::uint32_t>(record_bytes);
  section->capacity = capacity;
  section->used = 0;
  section->thread = thread;
  section->offset = used_bytes;
  used_bytes += bytes;
  __atomic_store_n(&head->section_count, head->section_count + 1, __ATOMIC_RELEASE);
  return section;
}

void *records(const rankwise_section *section) { return base + section->offset; }

}  // namespace rankwise::counters_file
