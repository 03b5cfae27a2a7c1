// What several threads do at once to what the runtime keeps for the whole process, below MPI. Compiled with the
// runtime's own sources and -fsanitize=thread by test_races.py, which has the names of the scenes.
#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "../../src/runtime/communicators.h"
#include "../../src/runtime/counters_file.h"
#include "../../src/runtime/dispatch/library.h"
#include "../../src/runtime/handle_table.h"
#include "../../src/runtime/inside/inside.h"
#include "../../src/runtime/process.h"
#include "../../src/runtime/requests.h"
#include "../../src/runtime/thread.h"

using namespace rankwise;

// Of parts of the runtime that are not here.
bool library::belongs_to_mpi(const char * /*path*/) { return false; }
bool library::is_mpi_library(const char * /*path*/) { return false; }
bool library::is_component(const char * /*path*/) { return false; }

namespace {

constexpr unsigned thread_count = 4;
constexpr int rounds = 2000;

template <class Work>
void in_threads(Work work) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < thread_count; ++i) threads.emplace_back(work, i);
  for (std::thread &thread : threads) thread.join();
}

bool expect(long is, long should, const char *what) {
  if (is != should) std::printf("%s: %ld, not %ld\n", what, is, should);
  return is == should;
}

// All find that a heartbeat is due.
bool stamps() {
  in_threads([](unsigned) {
    for (int i = 0; i < rounds; ++i) process::heartbeat();
  });
  return true;
}

// One starts non-blocking collectives on a communicator, others make progress for those that began before.
bool late_calls() {
  inside::active = inside::tells_communicators = true;
  communicators::Communicator *comm = communicators::add(17, {}, 0, 4, 0);
  in_threads([comm](unsigned thread) {
    Thread *self = threads::attach();
    for (int i = 0; i < rounds; ++i) {
      if (thread == 0) {
        inside::started(*self, Procedure::MPI_Iallreduce, *comm, 8, clock::ticks(), {});
      } else {
        inside::Operation operation(std::uint64_t{thread} << 32 | static_cast<unsigned>(i + 1));
        operation.communicator = comm->index;
        operation.late_calls = &comm->late_calls;
        inside::posted(operation);
      }
    }
  });
  // What nobody took is what is still waiting.
  int left = 0;
  while (!comm->late_calls.is_empty()) {
    comm->late_calls.take();
    ++left;
  }
  return expect(left <= rounds, 1, "no more calls wait than were started");
}

struct Known {
  std::uint64_t handle = 0;
  int *ranks = nullptr;
  Known *next_unused = nullptr;
  void release() { std::free(ranks); }
};

// All find at once that a handle is not known, enter it, and read what they have entered.
bool entered_at_once() {
  static HandleTable<Known> table;
  std::atomic<long> wrong = 0;
  std::barrier<> together(thread_count);
  in_threads([&](unsigned) {
    for (std::uint64_t handle = 1; handle <= rounds; ++handle) {
      Known *known = table.find(handle);
      together.arrive_and_wait();
      if (known == nullptr) {
        auto *ranks = static_cast<int *>(std::malloc(sizeof(int)));
        *ranks = static_cast<int>(handle);
        known = table.add_if_new(handle, [&ranks](Known &entered) {
          entered.ranks = ranks;
          ranks = nullptr;
        });
        std::free(ranks);
      }
      if (*known->ranks != static_cast<int>(handle)) ++wrong;
    }
  });
  return expect(wrong, 0, "ranks of another handle");
}

// MPI's side of requests: it gives the handle that was freed last to the next one.
struct Handles {
  Lock lock;
  std::vector<std::uint64_t> unused = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

  std::uint64_t get() {
    const Guard guard(lock);
    const std::uint64_t handle = unused.back();
    unused.pop_back();
    return handle;
  }
  void put(std::uint64_t handle) {
    const Guard guard(lock);
    unused.push_back(handle);
  }
};

// Each thread posts receives and sends and completes them. Their handles are the others' before that is booked.
bool same_handles() {
  Handles handles;
  std::atomic<long> wrong = 0;
  in_threads([&](unsigned thread) {
    for (int i = 0; i < 10 * rounds; ++i) {
      const auto kind = (thread + static_cast<unsigned>(i)) % 2 == 0 ? requests::Kind::receive : requests::Kind::send;
      const std::uint64_t handle = handles.get();
      requests::Request posted = requests::of_communicator(handle, thread, kind);
      posted.key = thread;
      requests::table.put(posted);
      const requests::Request looked = requests::table.look(handle);
      handles.put(handle);
      if (i % 16 == 0) std::this_thread::yield();
      const requests::Request done = requests::table.complete(looked);
      if (done.kind != kind || (kind == requests::Kind::receive && done.key != thread)) ++wrong;
    }
  });
  const std::uint64_t *dropped = counters_file::header()->dropped;
  bool right = expect(wrong, 0, "requests of another thread");
  right = expect(static_cast<long>(dropped[RANKWISE_DROPPED_RECEIVES]), 0, "dropped receives") && right;
  for (std::uint64_t handle = 1; handle <= 12; ++handle) {
    right = expect(requests::table.look(handle).kind == requests::Kind::none, 1, "nothing is left") && right;
  }
  return right;
}

}  // namespace

int main(int argc, char **argv) {
  const char *scene = argc > 1 ? argv[1] : "";
  if (counters_file::create_in_memory() != nullptr) return 2;
  process::start({0, 1, 3, "none"});
  threads::recording = true;
  bool right = false;
  if (std::strcmp(scene, "stamps") == 0) right = stamps();
  if (std::strcmp(scene, "late calls") == 0) right = late_calls();
  if (std::strcmp(scene, "entered at once") == 0) right = entered_at_once();
  if (std::strcmp(scene, "same handles") == 0) right = same_handles();
  return right ? 0 : 1;
}
