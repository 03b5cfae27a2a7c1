// Reports which algorithms Open MPI uses for collectives: it intercepts the functions that implement them, and counts
// their calls.
//
// Used only for runs in which tuning checks whether a rule has an effect. Each process writes a file HOST.PID to the
// directory RANKWISE_WATCH when it exits, with a line for each algorithm and size of communicators:
//
//     alltoallv pairwise 4 2000
//
// The functions belong to coll/base, and all components call them by name. Open MPI 4 and 5 have the same functions. If
// a library has hidden them, our versions are never called, and there are no lines.
//
// RATIONALE: their arguments are pointers and numbers, with types that differ between versions. So they are passed on
// as words: on Linux (x86-64, AArch64, POWER) each takes a register or eight bytes of the stack. Words after the last
// argument belong to the caller's frame, which may be read.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>

namespace {

using Word = uintptr_t;
using Function = Word(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);
using CommSize = int(void *, int *);

constexpr int kOtherError = 16;  // MPI_ERR_OTHER of Open MPI
constexpr int kRows = 1024;

struct Row {
  std::atomic<const char *> function;
  std::atomic<int> processes;
  std::atomic<uint64_t> calls;
};

Row rows[kRows];
std::atomic_flag adding = ATOMIC_FLAG_INIT;
// The collective in progress: an algorithm that calls others counts only once.
thread_local const char *running = nullptr;

void count(const char *function, int processes) {
  // There are few distinct rows. Rows are only added; a row without a function follows the last one.
  for (Row &row : rows) {
    const char *there = row.function.load(std::memory_order_acquire);
    if (!there) {
      while (adding.test_and_set(std::memory_order_acquire)) {
      }
      there = row.function.load(std::memory_order_relaxed);
      if (!there) {
        row.processes.store(processes, std::memory_order_relaxed);
        row.function.store(there = function, std::memory_order_release);
      }
      adding.clear(std::memory_order_release);
    }
    if (there == function && row.processes.load(std::memory_order_relaxed) == processes) {
      row.calls.fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }
}

int size_of(void *comm) {
  static std::atomic<CommSize *> known{nullptr};
  CommSize *asks = known.load(std::memory_order_acquire);
  if (!asks) known.store(asks = reinterpret_cast<CommSize *>(dlsym(RTLD_DEFAULT, "PMPI_Comm_size")));
  int processes = 0;
  return asks && asks(comm, &processes) == 0 ? processes : 0;
}

// Searches the libraries after ours. If the MPI library is not in the global scope, as in Python, it searches the
// libraries of the caller.
Function *find(const char *name, void *caller) {
  if (void *found = dlsym(RTLD_NEXT, name)) return reinterpret_cast<Function *>(found);
  Dl_info at;
  if (!dladdr(caller, &at)) return nullptr;
  void *file = dlopen(at.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!file) return nullptr;
  void *found = dlsym(file, name);
  dlclose(file);
  return reinterpret_cast<Function *>(found);
}

__attribute__((destructor)) void write_all() {
  const char *directory = getenv("RANKWISE_WATCH");
  if (!directory || !rows[0].function.load(std::memory_order_acquire)) return;
  char host[256] = "", path[4352];
  gethostname(host, sizeof host - 1);
  const int length = snprintf(path, sizeof path, "%s/%s.%d", directory, host, static_cast<int>(getpid()));
  if (length < 0 || static_cast<size_t>(length) >= sizeof path) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  for (const Row &row : rows) {
    const char *function = row.function.load(std::memory_order_acquire);
    if (!function) break;
    char line[128];
    const int end = snprintf(line, sizeof line, "%s %d %llu\n", function, row.processes.load(std::memory_order_relaxed),
                             static_cast<unsigned long long>(row.calls.load(std::memory_order_relaxed)));
    if (end > 0 && write(file, line, static_cast<size_t>(end)) < 0) break;
  }
  close(file);
}

}  // namespace

// For a collective: its name, the position of the communicator among the arguments, and the algorithm.
#define WATCH(collective, comm, algorithm)                                                                \
  extern "C" __attribute__((visibility("default"))) Word ompi_coll_base_##collective##_intra_##algorithm( \
      Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, Word k, Word l) {   \
    static std::atomic<Function *> known{nullptr};                                                        \
    Function *real = known.load(std::memory_order_acquire);                                               \
    if (!real) {                                                                                          \
      real = find("ompi_coll_base_" #collective "_intra_" #algorithm, __builtin_return_address(0));       \
      if (!real) return kOtherError;                                                                      \
      known.store(real, std::memory_order_release);                                                       \
    }                                                                                                     \
    static const char name[] = #collective;                                                               \
    static const char counted[] = #collective " " #algorithm;                                             \
    const char *outer = running;                                                                          \
    const Word arguments[] = {a, b, c, d, e, f, g, h, i};                                                 \
    if (!outer || __builtin_strcmp(outer, name) != 0)                                                     \
      count(counted, size_of(reinterpret_cast<void *>(arguments[comm])));                                 \
    running = name;                                                                                       \
    const Word result = real(a, b, c, d, e, f, g, h, i, j, k, l);                                         \
    running = outer;                                                                                      \
    return result;                                                                                        \
  }
#include "algorithms.inc"
