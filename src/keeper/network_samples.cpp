#include "network_samples.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "system.h"

namespace rankwise::keeper {
namespace {

constexpr int64_t first_pause_ns = 1'000'000'000;
constexpr uint32_t rare_every = 16;  // samples

}  // namespace

NetworkSamples::NetworkSamples(const char *kernel_files) {
  if (*kernel_files != '\0') ports_.open(kernel_files);
  row_words_ = 1 + size_t{ports_.count()} * RANKWISE_NETWORK_COUNTERS;
}

void NetworkSamples::start(const int *files, int count) {
  if (ports_.count() == 0) return;
  const size_t bytes = sizeof(Shared) + size_t{2} * most_rows * row_bytes();
  const long page = call(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page < 0 && page > -4096) return;
  shared_ = reinterpret_cast<Shared *>(page);
  shared_->pause_ns = first_pause_ns;
  take(true);
  const auto keeper = static_cast<int>(call(SYS_getpid));
  const long pid = call(SYS_clone, 0, nullptr, nullptr, nullptr, 0);
  if (pid == 0) {
    for (int i = 0; i < count; ++i) close(files[i]);
    take_all(keeper);
  }
  if (pid > 0) child_ = static_cast<int>(pid);
}

void NetworkSamples::finish() {
  if (shared_ == nullptr) return;
  if (child_ != 0) {
    call(SYS_kill, child_, SIGKILL);
    call(SYS_wait4, child_, nullptr, __WALL, nullptr);
    child_ = 0;
  }
  take(true);
}

NetworkSamples::Rows NetworkSamples::rows() const {
  if (shared_ == nullptr) return {nullptr, 0};
  const uint32_t set = __atomic_load_n(&shared_->set, __ATOMIC_ACQUIRE);
  return {row(set, 0), __atomic_load_n(&shared_->used[set], __ATOMIC_ACQUIRE)};
}

int64_t *NetworkSamples::row(uint32_t set, uint32_t index) const {
  return reinterpret_cast<int64_t *>(shared_ + 1) + (size_t{set} * most_rows + index) * row_words_;
}

void NetworkSamples::take(bool rare) {
  const uint32_t set = shared_->set;
  const uint32_t index = shared_->used[set];
  if (index == most_rows) return;
  int64_t *const next = row(set, index);
  if (index > 0) memcpy(next, row(set, index - 1), row_bytes());
  // RATIONALE: the time before the counters are read. A sample then has no less than was counted at its time.
  next[0] = now_ns(CLOCK_MONOTONIC);
  ports_.read(reinterpret_cast<uint64_t *>(next + 1), rare);
  __atomic_store_n(&shared_->used[set], index + 1, __ATOMIC_RELEASE);
}

void NetworkSamples::thin_out() {
  const uint32_t from = shared_->set;
  const uint32_t to = 1 - from;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < shared_->used[from]; i += 2) memcpy(row(to, kept++), row(from, i), row_bytes());
  shared_->used[to] = kept;
  shared_->pause_ns *= 2;
  __atomic_store_n(&shared_->set, to, __ATOMIC_RELEASE);
}

void NetworkSamples::take_all(int keeper) {
  call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (call(SYS_getppid) != keeper) call(SYS_exit_group, 0);
  call(SYS_prctl, PR_SET_NAME, "rankwise-ports");
  const int priority = 0;
  call(SYS_sched_setscheduler, 0, SCHED_IDLE, &priority);
  for (uint32_t i = 1;; ++i) {
    const Time pause = {shared_->pause_ns / first_pause_ns, 0};
    call(SYS_nanosleep, &pause, nullptr);
    // One place is left for the last sample.
    if (shared_->used[shared_->set] == most_rows - 1) thin_out();
    take(i % rare_every == 0);
  }
}

}  // namespace rankwise::keeper
