// The private data of each thread that calls MPI, so that counting needs no lock.
#ifndef RANKWISE_THREAD_H
#define RANKWISE_THREAD_H

#include <cstddef>
#include <cstdint>

#include "call_paths.h"
#include "callbacks.h"
#include "communicators.h"
#include "files.h"
#include "inside/running.h"
#include "inside/sender.h"
#include "leaving.h"
#include "polls.h"
#include "row_table.h"
#include "streams.h"
#include "time_line.h"
#include "windows.h"

namespace rankwise {

namespace requests {
struct Request;
}

// RATIONALE: processors fetch cache lines in pairs, so data that different threads write in every call is kept 128
// bytes apart: here, and in the counters file.
constexpr std::size_t apart = 128;

// The latest predefined operation of a reduction, its datatype, and their effect on the result (rankwise_traits).
struct LatestReduction {
  std::uint64_t operation = 0;
  std::uint64_t datatype = 0;
  std::uint64_t traits = 0;
};

// A thread's data for the call that it is in, which a callback's call can't share.
struct OfCall {
  void *scratch = nullptr;  // see scratch_memory()
  std::size_t scratch_bytes = 0;
  inside::Running running;
  const requests::Request *starting = nullptr;  // in MPI_Start and MPI_Startall
  int starting_count = 0;
  int taken = 0;                                   // requests that a waiting call has taken out, in the scratch memory
  communicators::Communicator *freeing = nullptr;  // by the running call
  windows::Window *freeing_window = nullptr;

  void release();
};

struct alignas(apart) Thread {
  // The frame of the recorded call that the thread is in: further calls of the MPI library belong to it.
  const void *inside = nullptr;
  // The frame of the call that is suspended for it, because a callback made it (callbacks.h).
  const void *outer = nullptr;
  rankwise_thread *record = nullptr;
  CallRows calls;
  MessageRows messages;
  AccessRows accesses;  // made when the thread first uses a file
  communicators::Table::Cache communicator_cache;
  LatestReduction latest_reduction;
  files::Table::Cache file_cache;
  windows::Table::Cache window_cache;
  alignas(8) unsigned char status[64] = {};  // of the running call, if the program ignores it
  OfCall of_call;
  call_paths::Sampler paths;
  Polls polls;
  TimeLine time_line;
  streams::Streams streams;
  inside::Sender sender;
  callbacks::Nesting *nesting = nullptr;  // made when it is first needed
  std::uint64_t nested = 0;               // calls so far, not recorded, in the call which began at `nested_since`
  std::uint64_t nested_since = 0;
  bool own_traffic = false;  // Rankwise itself communicates
  // The destinations of its latest messages, according to the hooks, and their number.
  static constexpr std::size_t most_own_peers = 16;
  std::uint32_t own_peers[most_own_peers] = {};
  std::size_t own_messages = 0;
  std::uint64_t in_mpi = 0;  // ticks in calls so far
  int index = 0;
  Thread *next_idle = nullptr;

  // Memory that lasts to the end of the running call, or nullptr.
  [[gnu::always_inline]] void *scratch_memory(std::size_t bytes) {
    if (bytes <= of_call.scratch_bytes) [[likely]] {
      return of_call.scratch;
    }
    return more_scratch_memory(bytes);
  }
  [[gnu::cold]] void *more_scratch_memory(std::size_t bytes);
};

namespace threads {

// From the end of MPI_Init to the start of MPI_Finalize, and not after Rankwise has switched itself off.
inline bool recording = false;
// Set from the thread level that MPI_Init provided.
inline bool several = false;

// RATIONALE: constinit, because otherwise each access from another file calls a function that might initialise it.
// The library is loaded at start-up, so CMakeLists.txt can ask for the fastest model of thread-local storage.
extern constinit thread_local Thread *current;

// Finds or makes the slot of the calling thread; nullptr if there is no room for another thread.
Thread *attach();

// The calling thread if this call is to be recorded, nullptr if it is nested or recording is off. `frame` is the
// wrapper's frame, `base` its frame pointer; without it, calls of a callback are nested, too.
[[gnu::always_inline]] inline Thread *enter(const void *frame, const void *base = nullptr) {
  if (!recording) [[unlikely]] {
    return nullptr;
  }
  Thread *thread = current;
  if (thread == nullptr) [[unlikely]] {
    thread = attach();
    if (thread == nullptr) return nullptr;
  }
  if (thread->inside != nullptr && !callbacks::begins(*thread, frame, base)) [[unlikely]] {
    return nullptr;
  }
  thread->inside = frame;
  return thread;
}

[[gnu::always_inline]] inline Thread *enter() { return enter(leaving::frame()); }

}  // namespace threads
}  // namespace rankwise

#endif
