#include "run_queue.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "clock.h"
#include "counters_file.h"
#include "lock.h"

namespace rankwise::run_queue {
namespace {

constexpr unsigned beats_a_look = 8;             // 2 s
constexpr std::uint64_t least_ns = 500'000'000;  // between samples: in a shorter interval, a thread of the MPI library
                                                 // may be the busiest
constexpr std::uint64_t most_of_one = 10;        // maximum ratio between the busiest and a computing thread
constexpr std::uint32_t most = RANKWISE_MOST_TASKS;

struct Task {
  long tid;
  std::uint64_t ran_ns;
  std::uint64_t waited_ns;
};

struct Look {
  Task tasks[most];
  std::uint32_t count;
};

Lock lock;
bool running = false;
unsigned beats = 0;
std::uint64_t looked_ns = 0;
std::uint64_t total_ns = 0;
Look looks[2];
unsigned latest = 0;

bool read_task(Task *task) {
  char text[96];
  snprintf(text, sizeof text, "/proc/self/task/%ld/schedstat", task->tid);
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  text[bytes > 0 ? bytes : 0] = '\0';
  char *end = nullptr;
  task->ran_ns = std::strtoul(text, &end, 10);
  if (end == text || *end != ' ') return false;
  task->waited_ns = std::strtoul(end, nullptr, 10);
  // (If no thread has ever waited for a processor, this kernel has the numbers but does not count.)
  return task->ran_ns > 0 || task->waited_ns > 0;
}

// RATIONALE: not by opendir, which allocates memory: this happens inside calls of MPI.
void read_tasks(Look *look) {
  look->count = 0;
  const int directory = open("/proc/self/task", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (directory < 0) return;
  struct Entry {  // of the kernel: linux_dirent64
    std::uint64_t inode;
    std::int64_t offset;
    std::uint16_t bytes;
    std::uint8_t type;
    char name[1];
  };
  alignas(Entry) char entries[4096];
  for (long bytes; (bytes = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0;) {
    for (long at = 0; at < bytes;) {
      const Entry *entry = reinterpret_cast<const Entry *>(entries + at);
      at += entry->bytes;
      Task task{std::strtol(entry->name, nullptr, 10), 0, 0};
      if (task.tid > 0 && look->count < most && read_task(&task)) look->tasks[look->count++] = task;
    }
  }
  close(directory);
}

// A thread's values at the previous sample; nothing if it is new, even if it reuses a number.
Task before(const Look &look, const Task &task) {
  for (std::uint32_t i = 0; i < look.count; ++i) {
    const Task &old = look.tasks[i];
    if (old.tid == task.tid && old.ran_ns <= task.ran_ns && old.waited_ns <= task.waited_ns) return old;
  }
  return {task.tid, 0, 0};
}

std::uint64_t now_ns() { return static_cast<std::uint64_t>(clock::nanoseconds(CLOCK_MONOTONIC)); }

void look() {
  const Look &old = looks[latest];
  Look &now = looks[1 - latest];
  read_tasks(&now);
  if (now.count == 0) return;
  std::uint64_t wanted[most];  // ran or waited since
  std::uint64_t longest = 0;
  for (std::uint32_t i = 0; i < now.count; ++i) {
    const Task &task = now.tasks[i];
    const Task since = before(old, task);
    total_ns += task.waited_ns - since.waited_ns;
    wanted[i] = task.ran_ns - since.ran_ns + task.waited_ns - since.waited_ns;
    if (wanted[i] > longest) longest = wanted[i];
  }
  std::uint32_t computing = 0;
  for (std::uint32_t i = 0; i < now.count; ++i)
    computing += wanted[i] > 0 && wanted[i] * most_of_one >= longest ? 1 : 0;
  rankwise_header *head = counters_file::header();
  const std::uint64_t ns = now_ns();
  if (ns - looked_ns >= least_ns && computing > head->computing_tasks) head->computing_tasks = computing;
  head->run_queue_wait_ns = total_ns + 1;
  looked_ns = ns;
  latest = 1 - latest;
}

}  // namespace

void start() {
  const char *wanted = std::getenv("RANKWISE_COUNTERS");
  if (wanted != nullptr && strcmp(wanted, "off") == 0) return;
  const Guard guard(lock);
  read_tasks(&looks[latest]);
  running = looks[latest].count > 0;
  looked_ns = now_ns();
}

void look_if_free() {
  if (!lock.try_acquire()) return;
  if (running) look();
  lock.release();
}

void look_now_and_then() {
  if (__atomic_add_fetch(&beats, 1, __ATOMIC_RELAXED) % beats_a_look == 0) look_if_free();
}

void stop() {
  const Guard guard(lock);
  if (running) look();
  running = false;
}

}  // namespace rankwise::run_queue
