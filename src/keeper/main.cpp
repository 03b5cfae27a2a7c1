// The keeper of a node: saves the counters of its processes, which are in its memory, in one file of the run directory.
//
//   keeper RUN_DIRECTORY MAKE SAVE_EVERY_MS HOST KERNEL_FILES PLACE [NAME]
//
// The first process of the node starts it, with the directory of the counters and the control page as its first files.
// With NAME there is no directory: the first file is an end of a pipe, and the counters follow the control page. It is
// detached, sleeps most of the time, and exits after the last process. It also samples the counters of the network that
// are below KERNEL_FILES (/sys); none if that is empty.
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include <initializer_list>

#include "network_samples.h"
#include "node_file.h"
#include "processes.h"
#include "saver.h"
#include "system.h"
#include "text.h"

namespace rankwise::keeper {
namespace {

constexpr int directory = RANKWISE_FIRST_KEEPER_FILE;
constexpr int control_file = directory + 1;
constexpr int only_counters = directory + 2;
constexpr uint64_t bell_event = ~0ULL;
constexpr uint64_t saved_event = bell_event - 1;

constexpr int64_t ms = 1'000'000;
constexpr int64_t first_save_ns = 1500 * ms;     // so that observers see the node soon, but not in MPI_Init
constexpr int64_t ask_ns = 1000 * ms;            // where the kernel does not report the end of processes
constexpr int64_t lonely_ns = 2000 * ms;         // without a process that we know, before we leave
constexpr int64_t together_ns = 20 * ms;         // processes begin, and die, close to one another
constexpr int64_t most_busy = 20;                // saving to a slow file system may take one part in this many of the
                                                 // time,
constexpr int64_t most_pause_ns = 300'000 * ms;  // but a save must show in time that the keeper is alive
                                                 // (python/.../collection.py)
constexpr int least_patience_s = 60;             // for a file system that doesn't answer
constexpr int most_patience_s = 300;             // the same while processes run

// Detaches from the process that started the keeper: files, directory, processors, signals.
void become_nobodys(bool has_directory) {
  call(SYS_prctl, PR_SET_NAME, "rankwise-keeper");
  call(SYS_chdir, "/");
  const int first = has_directory ? only_counters : only_counters + 1;
  constexpr long close_range = 436;  // since Linux 5.9
  if (call(close_range, first, ~0U, 0) != 0) {
    rlimit limit{};
    call(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &limit);
    const long end = limit.rlim_cur < 65536 ? static_cast<long>(limit.rlim_cur) : 65536;
    for (long file = first; file < end; ++file) call(SYS_close, file);
  }
  for (int file = 0; file < directory; ++file) {
    close(file);
    call(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR);
  }
  for (const int what : {RLIMIT_NOFILE, RLIMIT_FSIZE}) {
    rlimit limit{};
    if (call(SYS_prlimit64, 0, what, nullptr, &limit) != 0) continue;
    limit.rlim_cur = limit.rlim_max;
    call(SYS_prlimit64, 0, what, &limit, nullptr);
  }
  static unsigned char all_processors[8192];
  for (unsigned char &eight : all_processors) eight = 0xFF;
  call(SYS_sched_setaffinity, 0, sizeof all_processors, all_processors);
  // Batch systems send signals to a whole job, and then wait for its end: the keeper ends with the processes.
  struct {
    uint64_t handler = 0;  // SIG_DFL
    uint64_t flags = 0;
    uint64_t restorer = 0;
    uint64_t mask = 0;
  } action;
  call(SYS_rt_sigaction, SIGALRM, &action, nullptr, sizeof action.mask);
  const uint64_t mask = ~(1ULL << (SIGALRM - 1));
  call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof mask);
}

class Keeper {
 public:
  Keeper(rankwise_control *control, NodeFile &file, NetworkSamples &network, int events, int bell, const char *place,
         int64_t save_every_ns)
      : control_(control),
        processes_(directory, events, control),
        file_(file),
        network_(network),
        events_(events),
        bell_(bell),
        place_(place),
        save_every_ns_(save_every_ns),
        saver_(events, saved_event) {}

  void add(const char *name, int counters) { processes_.add(name, counters); }

  void run() {
    // Nodes begin together, and should not all write together.
    int64_t hash = 0;
    for (const char *c = control_->host; *c != '\0'; ++c) hash = (hash * 31 + *c) % 1024;
    const int64_t first_ns = save_every_ns_ < first_save_ns ? save_every_ns_ : first_save_ns;
    next_save_ns_ = now_ns(CLOCK_MONOTONIC) + first_ns + first_ns * hash / 1024;
    look();
    const int files[] = {bell_, control_file, events_};
    network_.start(files, 3);
    while (!finished()) wait();
  }

 private:
  void look() {
    if (place_ != nullptr) processes_.look();
  }

  // Sleeps until there is work, and does it.
  void wait() {
    const bool dead = take_events(until());
    const int64_t now = now_ns(CLOCK_MONOTONIC);
    if (processes_.anyone_alive()) lonely_since_ns_ = 0;
    if (!processes_.anyone_alive() && lonely_since_ns_ == 0) lonely_since_ns_ = now;
    // Processes that were killed while they began or left are still counted.
    if (lonely_since_ns_ != 0 && now - lonely_since_ns_ >= lonely_ns)
      __atomic_store_n(&control_->open, 0, __ATOMIC_RELEASE);
    if (__atomic_load_n(&control_->open, __ATOMIC_ACQUIRE) == 0) return;
    if (dead) {
      save(false);
    } else if (now >= next_save_ns_) {
      save_beside();
    }
  }

  int64_t until() const {
    const int64_t now = now_ns(CLOCK_MONOTONIC);
    int64_t left = next_save_ns_ - now;
    if (!processes_.all_watched() && left > ask_ns) left = ask_ns;
    if (lonely_since_ns_ != 0 && left > lonely_ns) left = lonely_ns;
    return left > 0 ? left : 0;
  }

  // True if a process has died.
  bool take_events(int64_t wait_ns) {
    bool dead = false;
    bool is_new = false;
    const auto milliseconds = static_cast<int>((wait_ns + ms - 1) / ms);
    constexpr int most = 64;
    epoll_event events[most];
    long count = call(SYS_epoll_pwait, events_, events, most, milliseconds, nullptr, 0);
    const int64_t end = now_ns(CLOCK_MONOTONIC) + together_ns;
    while (count > 0) {
      for (long i = 0; i < count; ++i) {
        if (events[i].data.u64 == saved_event) {
          saved(saver_.finish());
        } else if (events[i].data.u64 != bell_event) {
          dead = processes_.gone(events[i].data.u64) || dead;
        } else if ((events[i].events & EPOLLIN) != 0) {
          is_new = true;
          drain_bell();
        } else {
          call(SYS_epoll_ctl, events_, EPOLL_CTL_DEL, bell_, nullptr);  // no process is left to ring it
        }
      }
      // The last process waits for the keeper.
      if (__atomic_load_n(&control_->open, __ATOMIC_ACQUIRE) == 0 || now_ns(CLOCK_MONOTONIC) >= end) break;
      count = call(SYS_epoll_pwait, events_, events, most, 2, nullptr, 0);
    }
    if (is_new) look();
    if (!processes_.all_watched()) dead = processes_.ask() || dead;
    return dead;
  }

  void drain_bell() {
    char rings[256];
    while (call(SYS_read, bell_, rings, sizeof rings) == sizeof rings) {
    }
  }

  // The wait while processes run and nothing has happened.
  void save_beside() {
    next_save_ns_ = now_ns(CLOCK_MONOTONIC) + most_pause_ns;
    const int files[] = {bell_, control_file, events_};
    if (!saver_.is_busy() && !saver_.start(file_, processes_, control_, files, 3, most_patience_s)) save(false);
  }

  void save(bool is_final) {
    limit_patience(is_final ? least_patience_s : most_patience_s);
    saver_.abandon();
    const int64_t begin = now_ns(CLOCK_MONOTONIC);
    file_.count_save();
    const int trouble = file_.save(processes_, is_final);
    __atomic_store_n(&control_->trouble, trouble, __ATOMIC_RELEASE);
    saved(now_ns(CLOCK_MONOTONIC) - begin);
    limit_patience(0);
  }

  // Schedules the next save from the duration of the last one.
  void saved(int64_t took_ns) {
    int64_t pause = took_ns * most_busy;
    if (pause > most_pause_ns) pause = most_pause_ns;
    next_save_ns_ = now_ns(CLOCK_MONOTONIC) + (pause > save_every_ns_ ? pause : save_every_ns_);
  }

  // True if all processes have left, and their counters have been handled.
  bool finished() {
    if (__atomic_load_n(&control_->open, __ATOMIC_ACQUIRE) != 0) return false;
    look();
    network_.finish();
    save(true);
    uint32_t no_process = 0;
    const bool over = __atomic_compare_exchange_n(&control_->open, &no_process, RANKWISE_CLOSED, false,
                                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (over && control_->trouble == 0) {
      remove();
    } else if (over) {
      // Counters that could not be saved stay for the user, and for the next keeper.
      __atomic_store_n(&control_->open, 0, __ATOMIC_RELEASE);
    }
    __atomic_fetch_add(&control_->settled, 1, __ATOMIC_ACQ_REL);
    call(SYS_futex, &control_->settled, FUTEX_WAKE, 0x7FFFFFFF, nullptr, nullptr, 0);
    return over;
  }

  void remove() {
    if (place_ == nullptr) return;
    processes_.remove();
    call(SYS_unlinkat, directory, "bell", 0);
    call(SYS_unlinkat, directory, "control", 0);
    call(SYS_unlinkat, AT_FDCWD, place_, AT_REMOVEDIR);
  }

  rankwise_control *control_;
  Processes processes_;
  NodeFile &file_;
  NetworkSamples &network_;
  int events_;
  int bell_;
  const char *place_;
  int64_t save_every_ns_;
  Saver saver_;
  int64_t next_save_ns_ = 0;
  int64_t lonely_since_ns_ = 0;
};

// Processes ring it when they begin and when they leave.
int bell_in_directory() {
  call(SYS_mknodat, directory, "bell", S_IFIFO | 0600, 0);
  return static_cast<int>(call(SYS_openat, directory, "bell", O_RDWR | O_NONBLOCK | O_CLOEXEC));
}

}  // namespace

int run(int argc, char **argv) {
  if (argc < 7) return 2;
  const bool has_directory = argc == 7;
  become_nobodys(has_directory);
  const long page =
      call(SYS_mmap, nullptr, sizeof(rankwise_control), PROT_READ | PROT_WRITE, MAP_SHARED, control_file, 0);
  const auto events = static_cast<int>(call(SYS_epoll_create1, EPOLL_CLOEXEC));
  const int bell = has_directory ? bell_in_directory() : directory;
  if ((page < 0 && page > -4096) || events < 0 || bell < 0) return 1;
  auto *control = reinterpret_cast<rankwise_control *>(page);
  control->keeper = static_cast<int32_t>(call(SYS_getpid));
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = bell_event;
  call(SYS_epoll_ctl, events, EPOLL_CTL_ADD, bell, &event);
  const int64_t save_every_ms = number(argv[3]);
  NetworkSamples network(argv[5]);
  NodeFile file(argv[1], *argv[2] == '1', argv[4], *control, network, static_cast<uint32_t>(save_every_ms));
  Keeper keeper(control, file, network, events, bell, has_directory ? argv[6] : nullptr, save_every_ms * ms);
  if (!has_directory) keeper.add(argv[7], only_counters);
  keeper.run();
  return 0;
}

}  // namespace rankwise::keeper
