#include "place.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "counters_file.h"

namespace rankwise::place {
namespace {

constexpr std::uint64_t ms_a_clock_tick = 10;  // of /proc, on every Linux

int latest = -1;

// (The C library's own function knows no more than 1024 processors either.)
bool read_allowed(int tid, std::uint64_t (&allowed)[RANKWISE_CPU_WORDS]) {
  return syscall(SYS_sched_getaffinity, tid, sizeof allowed, allowed) > 0;
}

template <std::size_t bytes>
void copy(char (&to)[bytes], const char *name) {
  const char *value = std::getenv(name);
  snprintf(to, bytes, "%s", value != nullptr ? value : "");
}

// /proc/PID/task/TID/stat: pid (name) state ..., where the name may contain any character. Fields are counted from 1,
// after it from 3.
void read_stat(rankwise_task *task) {
  char text[1024];
  snprintf(text, sizeof text, "/proc/self/task/%d/stat", task->tid);
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  text[bytes > 0 ? bytes : 0] = '\0';
  const char *name = strchr(text, '(');
  char *end = strrchr(text, ')');
  if (name == nullptr || end == nullptr) return;
  snprintf(task->name, sizeof task->name, "%.*s", static_cast<int>(end - name - 1), name + 1);
  int field = 2;
  for (char *at = strchr(end, ' '); at != nullptr && field < 39; at = strchr(at + 1, ' ')) {
    ++field;
    if (field == 14 || field == 15) task->busy_ms += std::strtoul(at + 1, nullptr, 10) * ms_a_clock_tick;
    if (field == 39) task->cpu = static_cast<std::int32_t>(std::strtol(at + 1, nullptr, 10));
  }
}

}  // namespace

void read_environment() {
  rankwise_header *head = counters_file::header();
  const char *threads = std::getenv("OMP_NUM_THREADS");
  const long number = threads != nullptr ? std::strtol(threads, nullptr, 10) : 0;
  head->omp_num_threads = number > 0 && number < INT32_MAX ? static_cast<std::int32_t>(number) : 0;
  copy(head->omp_proc_bind, "OMP_PROC_BIND");
  copy(head->omp_places, "OMP_PLACES");
}

void look() {
  const int cpu = sched_getcpu();
  if (cpu < 0 || cpu >= RANKWISE_MOST_CPUS) return;
  rankwise_header *head = counters_file::header();
  __atomic_fetch_or(&head->seen[cpu / 64], 1ULL << (cpu % 64), __ATOMIC_RELAXED);
  const int before = __atomic_exchange_n(&latest, cpu, __ATOMIC_RELAXED);
  __atomic_fetch_add(&head->looks, 1, __ATOMIC_RELAXED);
  if (before >= 0 && before != cpu) __atomic_fetch_add(&head->moves, 1, __ATOMIC_RELAXED);
}

void look_at_threads() {
  look();
  rankwise_header *head = counters_file::header();
  read_allowed(0, head->cpus_at_stop);
  DIR *tasks = head->tasks == 0 ? opendir("/proc/self/task") : nullptr;  // once: another session may follow
  if (tasks == nullptr) return;
  std::int32_t found[RANKWISE_MOST_TASKS];
  while (const dirent *entry = readdir(tasks)) {
    const long tid = std::strtol(entry->d_name, nullptr, 10);
    if (tid <= 0) continue;
    if (head->tasks < RANKWISE_MOST_TASKS) found[head->tasks] = static_cast<std::int32_t>(tid);
    ++head->tasks;
  }
  closedir(tasks);
  constexpr std::uint32_t most = RANKWISE_MOST_TASKS;
  const std::uint32_t kept = head->tasks < most ? head->tasks : most;
  rankwise_section *section = counters_file::add_section(RANKWISE_SECTION_TASKS, sizeof(rankwise_task), kept,
                                                         RANKWISE_NO_THREAD, counters_file::Need::ordinary);
  if (section == nullptr) return;
  for (std::uint32_t i = 0; i < kept; ++i) {
    rankwise_task *task = static_cast<rankwise_task *>(counters_file::records(section)) + i;
    task->tid = found[i];
    task->cpu = -1;
    read_stat(task);
    read_allowed(task->tid, task->allowed);
    counters_file::publish(section);
  }
}

}  // namespace rankwise::place
