#include "counters_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "clock.h"
#include "generated/procedures.h"
#include "host.h"
#include "lock.h"
#include "node_memory.h"

namespace rankwise::counters_file {
namespace {

// Bounds of one process's file. Only used pages are ever touched, so these bounds take no memory.
constexpr std::uint64_t most_bytes = RANKWISE_MOST_BYTES;
constexpr std::uint64_t kept_for_other_rows = 8U << 20;
constexpr std::uint64_t least_step = 32U << 10;
constexpr std::uint64_t most_step = 1U << 20;
constexpr std::uint64_t page_bytes = 4096;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

constexpr std::uint64_t directory_end(std::uint64_t sections) {
  return round_up(sizeof(rankwise_header) + sections * sizeof(rankwise_section), page_bytes);
}
constexpr std::uint64_t first_record = directory_end(RANKWISE_MAX_SECTIONS);

int file = -1;
bool has_file = true;
struct stat identity;  // of the file
char *base = nullptr;
std::uint64_t mapped_bytes = 0;
bool is_open = false;  // completely writable
std::uint64_t used_bytes = 0;
std::uint64_t directory_bytes = 0;  // reserved, of the header and the directory
Lock growth;

rankwise_section *directory() { return reinterpret_cast<rankwise_section *>(base + sizeof(rankwise_header)); }

// Some programs close every descriptor; the number may then belong to a file of the program. It is -1 in a child.
bool is_still_our_file() {
  struct stat now;
  return fstat(file, &now) == 0 && now.st_dev == identity.st_dev && now.st_ino == identity.st_ino;
}

// Growing beyond the limit of the process (ulimit -f) would raise SIGXFSZ.
bool is_within_limit(std::uint64_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

// Whether growing would write to the file that we know, if there is one.
bool may_grow() { return !has_file || is_still_our_file(); }

// posix_fallocate returns its error; it may be interrupted by the signals that profilers and schedulers send.
bool reserve(std::uint64_t from, std::uint64_t to) {
  if (!has_file) return true;
  int error = is_within_limit(to) ? EINTR : EFBIG;
  while (error == EINTR) error = posix_fallocate(file, static_cast<off_t>(from), static_cast<off_t>(to - from));
  errno = error;
  return error == 0;
}

// Makes the reserved part writable. All other parts stay inaccessible, so that a tool that scans all memory of the
// process (memcheck's search for leaks) need not scan holes.
bool open_up(std::uint64_t from, std::uint64_t to) {
  if (is_open) return true;
  static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));  // may be more than ours
  const std::uint64_t begin = from / page * page;
  return mprotect(base + begin, round_up(to, page) - begin, PROT_READ | PROT_WRITE) == 0;
}

bool make_real(std::uint64_t from, std::uint64_t to) { return reserve(from, to) && open_up(from, to); }

// Small steps at first: most processes have few rows, and a node has many processes.
bool grow_to(std::uint64_t bytes) {
  rankwise_header *head = header();
  if (bytes <= head->file_bytes) return true;
  const std::uint64_t present = round_up(head->file_bytes - first_record, least_step);
  const std::uint64_t target = first_record + round_up(bytes - first_record, present < most_step ? present : most_step);
  if (target > mapped_bytes || !may_grow() || !make_real(head->file_bytes, target)) return false;
  head->file_bytes = target;
  return true;
}

bool grow_directory(std::uint64_t sections) {
  const std::uint64_t target = directory_end(sections);
  if (target <= directory_bytes) return true;
  if (!may_grow() || !make_real(directory_bytes, target)) return false;
  directory_bytes = target;
  return true;
}

// The mapping is longer than the file, and made accessible as the file grows. If the address space is limited (ulimit
// -v) it is shorter.
const char *map(int source) {
  void *found = MAP_FAILED;
  for (mapped_bytes = most_bytes; found == MAP_FAILED && mapped_bytes >= most_step; mapped_bytes /= 2) {
    found = mmap(nullptr, mapped_bytes, PROT_NONE, source | MAP_NORESERVE, file, 0);
  }
  if (found == MAP_FAILED) return strerror(errno);
  mapped_bytes *= 2;  // the last step of the loop
  is_open = false;
  base = static_cast<char *>(found);
  if (open_up(0, directory_bytes) && open_up(first_record, first_record + least_step)) return nullptr;
  // (If page rights must not change, all pages get them at once.)
  is_open = mmap(base, mapped_bytes, PROT_READ | PROT_WRITE, source | MAP_NORESERVE | MAP_FIXED, file, 0) != MAP_FAILED;
  if (is_open) return nullptr;
  const char *why = strerror(errno);
  munmap(base, mapped_bytes);
  base = nullptr;  // others assume that this part is writable
  return why;
}

// RATIONALE: otherwise the first call of each kind would wait for the page of its row, for microseconds in which
// messages arrive in another order than without us. (Older systems don't support this; then it is so.)
void touch_first_step() {
  constexpr int populate_write = 23;                         // MADV_POPULATE_WRITE, which older headers lack
  madvise(base + first_record, least_step, populate_write);  // before that there is mostly a hole
}

// Reserves the beginning of the new file and maps it; returns the reason for a failure.
const char *reserve_and_map() {
  if (file < 0 || fstat(file, &identity) != 0) return strerror(errno);
  directory_bytes = directory_end(0);
  if (!reserve(0, directory_bytes) || !reserve(first_record, first_record + least_step)) return strerror(errno);
  const char *why = map(MAP_SHARED);
  if (why == nullptr) touch_first_step();
  return why;
}

void fill_header(const char *host) {
  used_bytes = first_record;
  rankwise_header *head = header();
  head->version = RANKWISE_FORMAT_VERSION;
  head->byte_order = RANKWISE_BYTE_ORDER;
  head->header_bytes = sizeof(rankwise_header);
  head->section_bytes = sizeof(rankwise_section);
  head->table_digest = table_digest;
  head->file_bytes = first_record + least_step;
  head->pid = getpid();
  snprintf(head->host, sizeof head->host, "%s", host);
  snprintf(head->runtime_version, sizeof head->runtime_version, "%s", RANKWISE_VERSION);
  memcpy(head->magic, "RANKWISE", sizeof head->magic);
}

}  // namespace

rankwise_header *header() { return reinterpret_cast<rankwise_header *>(base); }

const char *create(const char *run_directory) {
  char host[64];
  host_name(host);
  char name[sizeof(rankwise_node_entry::name)];
  snprintf(name, sizeof name, "%s.%d.%llx.counters", host, getpid(),
           static_cast<unsigned long long>(clock::nanoseconds(CLOCK_REALTIME)));
  file = node_memory::enter(run_directory, host, name);
  const char *why = reserve_and_map();
  if (why != nullptr) {
    if (file >= 0) node_memory::withdraw();
    return why;
  }
  fill_header(host);
  node_memory::entered(header());
  return nullptr;
}

const char *create_in_memory() {
  has_file = false;
  directory_bytes = directory_end(0);
  const char *why = map(MAP_PRIVATE | MAP_ANONYMOUS);
  if (why == nullptr) fill_header("");
  return why;
}

rankwise_section *add_section(rankwise_section_kind kind, std::size_t record_bytes, std::uint32_t capacity, int thread,
                              Need need) {
  const Guard guard(growth);
  rankwise_header *head = header();
  const std::uint64_t bytes = round_up(record_bytes * capacity, page_bytes);
  const std::uint64_t bound = most_bytes - (need == Need::must ? 0 : kept_for_other_rows);
  if (head->section_count >= RANKWISE_MAX_SECTIONS || used_bytes + bytes > bound) return nullptr;
  if (!grow_directory(head->section_count + 1) || !grow_to(used_bytes + bytes)) return nullptr;
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

void leave() { node_memory::leave(header()); }

void enter_again() { node_memory::enter_again(header(), file); }

void keep_apart() {
  if (!has_file) return;
  node_memory::keep_apart();
  int source = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
  if (!is_still_our_file()) source |= MAP_ANONYMOUS;
  [[maybe_unused]] const void *same = mmap(base, header()->file_bytes, PROT_READ | PROT_WRITE, source, file, 0);
  file = -1;
}

}  // namespace rankwise::counters_file
