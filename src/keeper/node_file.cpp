#include "node_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <initializer_list>

#include "system.h"
#include "text.h"

namespace rankwise::keeper {

// Gathers small pieces; the first error stays.
class Output {
 public:
  Output(int file, uint64_t offset) : file_(file), flushed_(offset) {}

  uint64_t offset() const { return flushed_ + held_; }
  long error() const { return error_; }

  // Copies this many bytes of another file; missing bytes are zero.
  void copy(int from, uint64_t at, uint64_t bytes) {
    while (bytes > 0 && error_ == 0) {
      if (held_ == sizeof buffer_) flush();
      const uint64_t room = sizeof buffer_ - held_;
      const uint64_t part = bytes < room ? bytes : room;
      const long got = read_at(from, buffer_ + held_, part, at);
      if (got < 0) error_ = got;
      const uint64_t there = got > 0 ? static_cast<uint64_t>(got) : 0;
      memset(buffer_ + held_ + there, 0, part - there);
      held_ += part;
      at += part;
      bytes -= part;
    }
  }

  void add(const void *from, uint64_t bytes) {
    const auto *next = static_cast<const char *>(from);
    while (bytes > 0 && error_ == 0) {
      if (held_ == sizeof buffer_) flush();
      const uint64_t room = sizeof buffer_ - held_;
      const uint64_t part = bytes < room ? bytes : room;
      memcpy(buffer_ + held_, next, part);
      held_ += part;
      next += part;
      bytes -= part;
    }
  }

  void align() {
    constexpr char zeros[8] = {};
    add(zeros, (8 - offset() % 8) % 8);
  }

  void flush() {
    const long put = error_ != 0 ? 0 : write_at(file_, buffer_, held_, flushed_);
    if (put < 0) error_ = put;
    flushed_ += held_;
    held_ = 0;
  }

 private:
  static char buffer_[1U << 18];
  int file_;
  uint64_t flushed_;
  uint64_t held_ = 0;
  long error_ = 0;
};
char Output::buffer_[1U << 18];

namespace {

rankwise_section present[RANKWISE_MAX_SECTIONS];
rankwise_section saved[RANKWISE_MAX_SECTIONS];

uint64_t aligned(uint64_t bytes) { return (bytes + 7) / 8 * 8; }
uint64_t bytes_of(const rankwise_section &section) { return aligned(uint64_t{section.used} * section.record_bytes); }

// Decides which part of each section is saved, and where; returns the end of all.
//
// RATIONALE: the records of threads are read last. A call that ends meanwhile is then not treated as still running
// after it has been counted: it would be in the profile twice.
uint64_t place_sections(uint32_t count) {
  uint64_t end = aligned(sizeof(rankwise_header) + count * sizeof(rankwise_section));
  for (const bool threads : {false, true}) {
    for (uint32_t i = 0; i < count; ++i) {
      if ((present[i].kind == RANKWISE_SECTION_THREADS) != threads) continue;
      saved[i] = present[i];
      if (present[i].used > present[i].capacity || bytes_of(present[i]) > RANKWISE_MOST_BYTES) saved[i].used = 0;
      saved[i].capacity = saved[i].used;
      saved[i].offset = end;
      end += bytes_of(saved[i]);
    }
  }
  return end;
}

// The counters of a process without the unused parts.
void save_counters(Output &output, int file) {
  rankwise_header header{};
  if (read_at(file, &header, sizeof header, 0) != sizeof header) return;
  const uint32_t count = header.section_count;
  if (count > RANKWISE_MAX_SECTIONS) return;
  if (read_at(file, present, count * sizeof present[0], sizeof header) < 0) return;
  header.file_bytes = place_sections(count);
  output.add(&header, sizeof header);
  output.add(saved, count * sizeof saved[0]);
  output.align();
  for (const bool threads : {false, true}) {
    for (uint32_t i = 0; i < count; ++i) {
      if ((present[i].kind != RANKWISE_SECTION_THREADS) == threads) continue;
      output.copy(file, present[i].offset, bytes_of(saved[i]));
    }
  }
}

// Why a directory must not be used, 0 if it may. A new file shows the owner and mode that our files get there: some
// file systems have no modes, or give all files to one owner.
int distrust(int directory, int file) {
  struct stat theirs{};
  struct stat own{};
  long error = call(SYS_newfstatat, directory, "", &theirs, AT_EMPTY_PATH);
  if (error == 0) error = call(SYS_fstat, file, &own);
  if (error != 0) return static_cast<int>(-error);
  if (theirs.st_uid != own.st_uid) return RANKWISE_TROUBLE_OWNER;
  const bool has_modes = (own.st_mode & 077U) == 0;
  return has_modes && (theirs.st_mode & 022U) != 0 ? RANKWISE_TROUBLE_WRITABLE : 0;
}

constexpr size_t at_once = 64;  // entries that are written together

}  // namespace

// No two keepers write the same file: a process id belongs to one process of its namespace at a time.
NodeFile::NodeFile(const char *directory, bool make, const char *host, const rankwise_control &control,
                   const NetworkSamples &network, uint32_t save_every_ms)
    : network_(network),
      directory_(directory),
      make_(make),
      run_(control.run),
      save_every_ms_(save_every_ms),
      host_(host) {
  Text name(name_);
  (name << host << ".").add(control.pids, 10) << ".";
  (name.add(static_cast<uint64_t>(call(SYS_getpid)), 10) << ".").add(static_cast<uint64_t>(now_ns(CLOCK_REALTIME)), 16);
  name << ".node";
  Text(new_name_) << name_ << ".new";
}

int NodeFile::save(const Processes &processes, bool is_final) {
  constexpr int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  long directory = call(SYS_openat, AT_FDCWD, directory_, flags);
  if (directory == -ENOENT && make_) {
    call(SYS_mkdirat, AT_FDCWD, directory_, 0700);
    directory = call(SYS_openat, AT_FDCWD, directory_, flags);
  }
  if (directory < 0) return static_cast<int>(-directory);
  constexpr int new_file = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  long file = call(SYS_openat, directory, new_name_, new_file, 0600);
  if (file == -EEXIST) {
    // It is left over from an abandoned save of this keeper.
    call(SYS_unlinkat, directory, new_name_, 0);
    file = call(SYS_openat, directory, new_name_, new_file, 0600);
  }
  int trouble = file < 0 ? static_cast<int>(-file) : distrust(static_cast<int>(directory), static_cast<int>(file));
  if (trouble == 0) trouble = write(static_cast<int>(file), processes, is_final);
  if (file >= 0) {
    // Network file systems report a full disk only now.
    const long error = call(SYS_close, file);
    if (trouble == 0 && error != 0) trouble = static_cast<int>(-error);
    if (trouble == 0) trouble = static_cast<int>(-call(SYS_renameat, directory, new_name_, directory, name_));
    if (trouble != 0) call(SYS_unlinkat, directory, new_name_, 0);
  }
  close(static_cast<int>(directory));
  return trouble;
}

void NodeFile::add_network(Output &output, rankwise_node_header &header) const {
  const NetworkSamples::Rows rows = network_.rows();
  if (rows.count == 0) return;
  header.network_offset = output.offset();
  header.network_ports = network_.ports().count();
  header.network_samples = rows.count;
  output.add(network_.ports().all(), header.network_ports * sizeof(rankwise_network_port));
  output.add(rows.first, rows.count * network_.row_bytes());
}

int NodeFile::write(int file, const Processes &processes, bool is_final) {
  rankwise_node_header header{};
  for (size_t i = 0; i < sizeof header.magic; ++i) header.magic[i] = "RANKNODE"[i];
  header.version = RANKWISE_NODE_VERSION;
  header.byte_order = RANKWISE_BYTE_ORDER;
  header.header_bytes = sizeof header;
  header.entry_bytes = sizeof(rankwise_node_entry);
  header.is_final = is_final ? 1 : 0;
  header.saved_realtime_ns = now_ns(CLOCK_REALTIME);
  header.saved_monotonic_ns = now_ns(CLOCK_MONOTONIC);
  header.saves = saves_;
  header.save_every_ms = save_every_ms_;
  header.keeper = static_cast<int32_t>(call(SYS_getpid));
  header.run = run_;
  copy(header.host, host_);
  copy(header.runtime_version, RANKWISE_VERSION);

  const size_t count = processes.count();
  Output output(file, sizeof header + count * sizeof(rankwise_node_entry));
  rankwise_node_entry entries[at_once];
  for (size_t first = 0; first < count; first += at_once) {
    const size_t some = count - first < at_once ? count - first : at_once;
    for (size_t i = 0; i < some; ++i) {
      const Process &process = processes[first + i];
      entries[i] = {};
      copy(entries[i].name, process.name);
      entries[i].gone_ns = process.gone_ns;
      entries[i].offset = output.offset();
      const long counters = processes.open(process);
      if (counters >= 0) save_counters(output, static_cast<int>(counters));
      if (counters >= 0) processes.give_back(process, static_cast<int>(counters));
      entries[i].bytes = output.offset() - entries[i].offset;
    }
    const long put = write_at(file, entries, some * sizeof entries[0], sizeof header + first * sizeof entries[0]);
    if (put < 0) return static_cast<int>(-put);
  }
  add_network(output, header);
  output.flush();
  if (output.error() != 0) return static_cast<int>(-output.error());
  header.entry_count = static_cast<uint32_t>(count);
  header.file_bytes = output.offset();
  const long put = write_at(file, &header, sizeof header, 0);
  return put < 0 ? static_cast<int>(-put) : 0;
}

}  // namespace rankwise::keeper
