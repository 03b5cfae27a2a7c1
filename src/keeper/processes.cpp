#include "processes.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <time.h>

#include "directory.h"
#include "system.h"
#include "text.h"

namespace rankwise::keeper {
namespace {

constexpr char suffix[] = ".counters";

// HOST.PID.TIME.counters: the host may contain dots.
int pid_in(const char *name) {
  size_t at = length(name) - (sizeof suffix - 1);
  for (int points = 0; at > 0; --at) {
    if (name[at - 1] == '.' && ++points == 2) break;
  }
  return static_cast<int>(number(name + at));
}

struct Stat {
  char state = '\0';     // of the main thread
  int64_t threads = 0;   // a main thread that has ended counts, too
  int64_t began_ns = 0;  // CLOCK_BOOTTIME
};

// Read from /proc; false if that fails.
bool read_stat(int pid, Stat &stat) {
  char path[64];
  Text text(path);
  (text << "/proc/").add(static_cast<uint64_t>(pid), 10) << "/stat";
  const auto file = static_cast<int>(call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
  if (file < 0) return false;
  char line[512] = "";
  const long bytes = call(SYS_read, file, line, sizeof line - 1);
  close(file);
  if (bytes <= 0) return false;
  line[bytes] = '\0';
  const char *at = line + bytes;
  while (at > line && at[-1] != ')') --at;  // the name before it may contain any character
  if (at[0] == '\0' || at[1] == '\0') return false;
  stat.state = at[1];
  for (int field = 2; field < 22 && *at != '\0'; ++at) {
    if (*at != ' ') continue;
    if (++field == 20) stat.threads = number(at + 1);
  }
  constexpr int64_t tick_ns = 10'000'000;  // USER_HZ is 100 for all programs
  stat.began_ns = number(at) * tick_ns;
  return true;
}

// A zombie is gone, unless other threads outlive its main thread. If the process was alive at a known time, a process
// that began later merely reuses the number.
bool is_alive(int pid, int64_t lived_ns = 0) {
  Stat stat;
  if (!read_stat(pid, stat)) return call(SYS_kill, pid, 0) != -ESRCH;
  constexpr int64_t inexact_ns = 1'000'000'000;
  const bool is_ended = (stat.state == 'Z' && stat.threads <= 1) || stat.state == 'X';
  return !is_ended && (lived_ns == 0 || stat.began_ns <= lived_ns + inexact_ns);
}

}  // namespace

Process Processes::all_[Processes::most];

void Processes::look() {
  for_each_listed(directory_, [&](const Listed &listed) {
    if (!ends_with(listed.name, suffix) || is_known(listed.name)) return;
    // A link leads to an unnamed file: it lasts as long as a process has it open.
    const bool is_link = listed.kind == 10;  // DT_LNK
    add(listed.name, is_link ? static_cast<int>(call(SYS_openat, directory_, listed.name, O_RDWR | O_CLOEXEC)) : -1);
  });
}

bool Processes::is_known(const char *name) const {
  // The latest processes are looked up first, because they are found one after the other.
  for (size_t i = count_; i > 0; --i) {
    if (equal(all_[i - 1].name, name)) return true;
  }
  return false;
}

void Processes::add(const char *name, int counters) {
  if (count_ == most || length(name) >= sizeof all_[0].name) return;
  Process &process = all_[count_];
  copy(process.name, name);
  process.counters = counters;
  process.pid = pid_in(name);
  process.gone_ns = 0;
  process.watch = -1;
  watch(process, count_++);
}

void Processes::watch(Process &process, size_t index) {
  ++alive_;
  constexpr long pidfd_open = 434;  // since Linux 5.3
  const long file = is_alive(process.pid, lived_ns(process)) ? call(pidfd_open, process.pid, 0) : -ESRCH;
  if (file == -ESRCH) {
    note_end(process);
    return;
  }
  epoll_event event{};
  event.events = EPOLLIN | EPOLLONESHOT;
  event.data.u64 = index;
  if (file >= 0 && call(SYS_epoll_ctl, events_, EPOLL_CTL_ADD, file, &event) == 0) {
    process.watch = static_cast<int>(file);
    return;
  }
  if (file >= 0) close(static_cast<int>(file));
  ++unwatched_;
}

// When it made its counters, on the clock that counts from system start; 0 = not known yet.
int64_t Processes::lived_ns(const Process &process) const {
  const long file = open(process);
  if (file < 0) return 0;
  rankwise_stamp loaded{};
  read_at(static_cast<int>(file), &loaded, sizeof loaded, offsetof(rankwise_header, loaded));
  give_back(process, static_cast<int>(file));
  const int64_t asleep_ns = now_ns(CLOCK_BOOTTIME) - now_ns(CLOCK_MONOTONIC);
  return loaded.monotonic_ns == 0 ? 0 : loaded.monotonic_ns + asleep_ns;
}

bool Processes::gone(uint64_t index) {
  if (index >= count_ || all_[index].gone_ns != 0) return false;
  close(all_[index].watch);
  all_[index].watch = -1;
  note_end(all_[index]);
  return true;
}

bool Processes::ask() {
  bool any = false;
  for (size_t i = 0; i < count_ && unwatched_ != 0; ++i) {
    if (all_[i].gone_ns != 0 || all_[i].watch >= 0 || is_alive(all_[i].pid)) continue;
    --unwatched_;
    note_end(all_[i]);
    any = true;
  }
  return any;
}

// A process that has left MPI_Finalize has already counted itself out.
void Processes::note_end(Process &process) {
  process.gone_ns = now_ns(CLOCK_MONOTONIC);
  --alive_;
  const long file = open(process);
  if (file < 0) return;
  uint32_t has_left = 0;
  constexpr uint64_t place = offsetof(rankwise_header, has_left);
  read_at(static_cast<int>(file), &has_left, sizeof has_left, place);
  if (has_left == 0) {
    has_left = 1;
    write_at(static_cast<int>(file), &has_left, sizeof has_left, place);
    uint32_t open = __atomic_load_n(&control_->open, __ATOMIC_ACQUIRE);
    while (open != 0 &&
           !__atomic_compare_exchange_n(&control_->open, &open, open - 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    }
  }
  give_back(process, static_cast<int>(file));
}

long Processes::open(const Process &process) const {
  if (process.counters >= 0) return process.counters;
  return call(SYS_openat, directory_, process.name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
}

void Processes::give_back(const Process &process, int file) const {
  if (file != process.counters) close(file);
}

void Processes::remove() const {
  for (size_t i = 0; i < count_; ++i) call(SYS_unlinkat, directory_, all_[i].name, 0);
}

}  // namespace rankwise::keeper
