#include "process.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "adapters.h"
#include "call_sites.h"
#include "counters_file.h"
#include "launcher.h"
#include "lock.h"
#include "node_clock.h"
#include "node_memory.h"
#include "node_shape.h"
#include "place.h"
#include "regions.h"
#include "reorder.h"
#include "report.h"
#include "run_directory.h"
#include "run_queue.h"
#include "system_counters.h"

namespace rankwise::process {

namespace {

constexpr std::int64_t heartbeat_ns = 250'000'000;

std::uint64_t heartbeat_ticks = 0;

// Held while the latest stamp and its related fields are written: readers need all of them.
Lock stamping;

template <std::size_t bytes>
void copy_line(char (&to)[bytes], const char *from) {
  const std::size_t length = strcspn(from, "\r\n");
  snprintf(to, bytes, "%.*s", static_cast<int>(length < bytes ? length : bytes - 1), from);
}

// The processors that the process may use, in the kernel's notation; empty if /proc doesn't report them.
void read_cpus_allowed(rankwise_header *head) {
  FILE *status = fopen("/proc/self/status", "re");
  if (status == nullptr) return;
  char line[512];
  static constexpr char key[] = "Cpus_allowed_list:\t";
  while (fgets(line, sizeof line, status) != nullptr) {
    if (strncmp(line, key, sizeof key - 1) == 0) {
      copy_line(head->cpus_allowed, line + sizeof key - 1);
      break;
    }
  }
  fclose(status);
}

void read_executable(rankwise_header *head) {
  const ssize_t length = readlink("/proc/self/exe", head->executable, sizeof head->executable - 1);
  head->executable[length > 0 ? length : 0] = '\0';
}

// Only a name is lost if /proc doesn't have it.
void read_arguments(rankwise_header *head) {
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t bytes = read(file, head->arguments, sizeof head->arguments);
  head->argument_bytes = bytes > 0 ? static_cast<std::uint32_t>(bytes) : 0;
  close(file);
}

void read_usage(rankwise_header *head) {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return;
  const auto microseconds = [](const timeval &t) {
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000U + static_cast<std::uint64_t>(t.tv_usec);
  };
  head->user_us = microseconds(usage.ru_utime);
  head->system_us = microseconds(usage.ru_stime);
  head->max_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024U;
}

// RATIONALE: a shared mapping stays shared over a fork, and the child's calls would be booked as the parent's.
void in_forked_child() {
  threads::recording = false;
  counters_file::keep_apart();
}

void say_unrecorded(const char *why) { say_once("this process runs unrecorded: no memory for its counters: %s", why); }

}  // namespace

bool load(rankwise_abi abi) {
  const char *directory = run_directory::path();
  const char *why = directory != nullptr ? counters_file::create(directory) : counters_file::create_in_memory();
  reorder::read_wish();
  call_sites::start();
  if (why != nullptr && directory != nullptr && reorder::wanted) {
    // The others would wait for this process if a communicator is reordered.
    say_unrecorded(why);
    why = counters_file::create_in_memory();
  }
  if (why == nullptr && !regions::start()) why = strerror(errno);
  if (why == nullptr) {
    const int error = pthread_atfork(nullptr, nullptr, in_forked_child);
    if (error != 0) why = strerror(error);
  }
  if (why != nullptr) {
    say_unrecorded(why);
    return false;
  }
  rankwise_header *head = counters_file::header();
  head->world_rank = -1;
  head->world_size = -1;
  head->thread_level = -1;
  head->cpu_at_start = -1;
  head->cpu_at_stop = -1;
  head->abi = abi;
  head->clock = node_clock::id();
  head->launcher_rank = launcher::rank();
  head->launcher_size = launcher::size();
  launcher::job(head->job, sizeof head->job);
  launcher::batch_job(head->batch_job, sizeof head->batch_job);
  read_executable(head);
  read_arguments(head);
  read_cpus_allowed(head);
  read_usage(head);
  place::read_environment();
  adapters::record_choices();
  if (node_memory::is_first() || launcher::local_rank() == 0) {
    node_shape::record();
    adapters::record();
  }
  system_counters::open();
  head->loaded = clock::stamp();
  head->latest = head->loaded;
  return true;
}

void start(const World &world) {
  rankwise_header *head = counters_file::header();
  head->world_rank = world.rank;
  head->world_size = world.size;
  copy_line(head->library, world.library);
  head->cpu_at_start = sched_getcpu();
  // Binding may have been set by the launcher's own part of MPI_Init.
  read_cpus_allowed(head);
  head->started = clock::stamp();
  head->latest = head->started;
  head->state = RANKWISE_STATE_RUNNING;
  const std::uint64_t ticks = clock::elapsed(head->loaded.ticks, head->started.ticks);
  const std::int64_t ns = head->started.monotonic_ns - head->loaded.monotonic_ns;
  heartbeat_ticks = ns > 0 && ticks > 0
                        ? static_cast<std::uint64_t>(static_cast<double>(ticks) / static_cast<double>(ns) *
                                                     static_cast<double>(heartbeat_ns))
                        : static_cast<std::uint64_t>(heartbeat_ns);
  next_heartbeat = head->started.ticks + heartbeat_ticks;
  place::look();
  system_counters::start();
  run_queue::start();
  node_shape::start_counting();
  set_thread_level(world.thread_level);
}

void set_thread_level(int level) {
  counters_file::header()->thread_level = level;
  threads::several = threads::several || level == 3;
}

void stopping() {
  rankwise_header *head = counters_file::header();
  regions::stop();
  system_counters::stop();
  run_queue::stop();
  node_shape::stop_counting();
  const Guard guard(stamping);
  read_usage(head);
  place::look_at_threads();
  head->cpu_at_stop = sched_getcpu();
  head->stopping = clock::stamp();
  head->latest = head->stopping;
  head->state = RANKWISE_STATE_FINALIZING;
}

void still_running() {
  rankwise_header *head = counters_file::header();
  if (head->state != RANKWISE_STATE_FINALIZING) return;
  regions::stop_later();
  const Guard guard(stamping);
  head->stopping = clock::stamp();
  head->latest = head->stopping;
}

void stopped() {
  rankwise_header *head = counters_file::header();
  read_usage(head);
  head->stopped = clock::stamp();
  head->latest = head->stopped;
  head->state = RANKWISE_STATE_FINALIZED;
  counters_file::leave();
}

void given_up() { counters_file::leave(); }

void start_again() {
  rankwise_header *head = counters_file::header();
  regions::start_again();
  system_counters::start();
  run_queue::start();
  head->stopping = {};
  head->stopped = {};
  head->latest = clock::stamp();
  head->state = RANKWISE_STATE_RUNNING;
  counters_file::enter_again();
}

void aborting(int code) {
  system_counters::charge_if_free(regions::current);
  run_queue::look_if_free();
  const Guard guard(stamping);
  rankwise_header *head = counters_file::header();
  read_usage(head);
  head->abort_code = code;
  head->latest = clock::stamp();
  head->state = RANKWISE_STATE_ABORTED;
}

void pause() {
  if (!paused) ++counters_file::header()->pauses;
  paused = true;
}

void resume() { paused = false; }

void switch_off() {
  threads::recording = false;
  rankwise_header *head = counters_file::header();
  head->latest = clock::stamp();
  head->state = RANKWISE_STATE_SWITCHED_OFF;
}

void add_setup_cost(std::uint64_t ns) { counters_file::header()->own_setup_ns += ns; }
void add_finish_cost(std::uint64_t ns) { counters_file::header()->own_finish_ns += ns; }

void set_call_costs(std::uint64_t frequent, std::uint64_t other) {
  rankwise_header *head = counters_file::header();
  head->own_call_picoticks = frequent;
  head->own_other_call_picoticks = other;
}

std::uint64_t quarter_second() { return heartbeat_ticks; }

void heartbeat() {
  // One of several threads is enough.
  if (!stamping.try_acquire()) return;
  rankwise_header *head = counters_file::header();
  const rankwise_stamp now = clock::stamp();
  __atomic_store_n(&next_heartbeat, now.ticks + heartbeat_ticks, __ATOMIC_RELAXED);
  read_usage(head);
  head->latest = now;
  stamping.release();
  place::look();
  system_counters::charge_if_free(regions::current);
  run_queue::look_now_and_then();
}

}  // namespace rankwise::process
