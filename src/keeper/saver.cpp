#include "saver.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "system.h"
#include "text.h"

namespace rankwise::keeper {
namespace {

constexpr unsigned long with_pidfd = 0x1000;  // CLONE_PIDFD, since Linux 5.2

void stand_back() {
  const int priority = 0;
  call(SYS_sched_setscheduler, 0, SCHED_IDLE, &priority);
}

// How long this process was ready to run but did not run; 0 if the kernel does not report it.
int64_t waited_ns() {
  char line[128] = "";
  const auto file = static_cast<int>(call(SYS_openat, AT_FDCWD, "/proc/self/schedstat", O_RDONLY | O_CLOEXEC));
  if (file < 0) return 0;
  call(SYS_read, file, line, sizeof line - 1);
  close(file);
  const char *second = line;
  while (*second != '\0' && *second != ' ') ++second;
  return *second == ' ' ? number(second + 1) : 0;
}

}  // namespace

void limit_patience(int seconds) {
  const struct {
    Time interval;
    Time value;
  } timer = {{0, 0}, {seconds, 0}};
  call(SYS_setitimer, ITIMER_REAL, &timer, nullptr);
}

Saver::Saver(int events, uint64_t event) : events_(events), event_(event) {
  const long page =
      call(SYS_mmap, nullptr, sizeof *took_ns_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  took_ns_ = page < 0 && page > -4096 ? nullptr : reinterpret_cast<int64_t *>(page);
}

bool Saver::start(NodeFile &file, const Processes &processes, rankwise_control *control, const int *files, int count,
                  int patience_s) {
  if (took_ns_ == nullptr) return false;
  const long pid = call(SYS_clone, with_pidfd, nullptr, &watch_, nullptr, 0);
  if (pid == 0) {
    // The mark that shows others a keeper exists must end with it.
    call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; i < count; ++i) close(files[i]);
    stand_back();
    limit_patience(patience_s);
    const int64_t begin = now_ns(CLOCK_MONOTONIC) - waited_ns();
    file.count_save();
    const int trouble = file.save(processes, false);
    __atomic_store_n(&control->trouble, trouble, __ATOMIC_RELEASE);
    *took_ns_ = now_ns(CLOCK_MONOTONIC) - waited_ns() - begin;
    call(SYS_exit_group, 0);
  }
  if (pid < 0) return false;
  child_ = static_cast<int>(pid);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = event_;
  const bool is_watched = watch_ >= 0 && call(SYS_epoll_ctl, events_, EPOLL_CTL_ADD, watch_, &event) == 0;
  if (!is_watched) {
    abandon();
    return false;
  }
  file.count_save();
  return true;
}

int64_t Saver::finish() {
  forget();
  return *took_ns_;
}

void Saver::abandon() {
  if (child_ == 0) return;
  call(SYS_kill, child_, SIGKILL);
  forget();
}

void Saver::forget() {
  call(SYS_wait4, child_, nullptr, __WALL, nullptr);
  close(watch_);
  watch_ = -1;
  child_ = 0;
}

}  // namespace rankwise::keeper
