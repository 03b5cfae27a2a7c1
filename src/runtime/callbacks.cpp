#include "callbacks.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "callers.h"
#include "clock.h"
#include "communicators.h"
#include "counters_file.h"
#include "frame_rules.h"
#include "leaving.h"
#include "process.h"
#include "thread.h"
#include "windows.h"

namespace rankwise::callbacks {
namespace {

// RATIONALE: an error handler may call MPI with the error that it handles, and so recurse forever.
constexpr int most_suspended = 8;

// A call that waits for its callback, and its state in the thread.
struct Suspended {
  const void *frame = nullptr;
  std::uint64_t key = 0;
  std::uint64_t since = 0;
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  std::uint64_t in_callbacks = 0;  // ticks in calls of its callbacks so far
  OfCall of_call;
};

}  // namespace

struct Nesting {
  Callers callers;
  int depth = 0;
  Suspended suspended[most_suspended];

  bool is_empty() const { return depth == 0; }
  Suspended &top() { return suspended[depth - 1]; }
  // Whether the call that the thread is in has been suspended before.
  bool has(const void *frame) { return depth > 0 && top().frame == frame; }
};

namespace {

Nesting *nesting_of(Thread &thread) {
  if (thread.nesting != nullptr) return thread.nesting;
  void *memory = std::malloc(sizeof(Nesting));
  thread.nesting = memory != nullptr ? new (memory) Nesting : nullptr;
  return thread.nesting;
}

// Handles that are being freed keep their meaning while callbacks run.
void show_freed(const OfCall &call) {
  if (call.freeing != nullptr) communicators::table.show(call.freeing);
  if (call.freeing_window != nullptr) windows::table.show(call.freeing_window);
}
void hide_freed(const OfCall &call) {
  if (call.freeing != nullptr) communicators::table.hide(call.freeing);
  if (call.freeing_window != nullptr) windows::table.hide(call.freeing_window);
}

// The library's messages since then for the suspended call.
void take_messages(Thread &thread, Suspended &suspended) {
  suspended.of_call.running.take(suspended.since, thread.of_call.running);
}

// False if there is no room.
bool suspend(Thread &thread, Nesting &nesting) {
  if (nesting.has(thread.inside)) {
    take_messages(thread, nesting.top());
  } else if (nesting.depth == most_suspended) {
    counters_file::drop(RANKWISE_DROPPED_THREAD_CALLS);
    return false;
  } else {
    const rankwise_thread &record = *thread.record;
    ++nesting.depth;
    nesting.top() = {thread.inside,        record.inside_key,         record.inside_since,
                     record.inside_source, record.inside_destination, 0,
                     thread.of_call};
    thread.of_call = {};
    thread.outer = thread.inside;
  }
  show_freed(nesting.top().of_call);
  thread.time_line.interrupt();
  return true;
}

// The suspended call is over; returns the time of its callbacks' calls.
std::uint64_t resume(Thread &thread, Nesting &nesting) {
  Suspended &suspended = nesting.top();
  take_messages(thread, suspended);
  thread.of_call.release();
  thread.of_call = suspended.of_call;
  --nesting.depth;
  thread.outer = nesting.is_empty() ? nullptr : nesting.top().frame;
  return suspended.in_callbacks;
}

// The call of a callback is over.
void go_on(Thread &thread, Suspended &suspended, std::uint64_t ticks) {
  suspended.in_callbacks += ticks;
  hide_freed(suspended.of_call);
  rankwise_thread &record = *thread.record;
  record.inside_source = suspended.source;
  record.inside_destination = suspended.destination;
  record.inside_key = suspended.key;
  record.inside_since = suspended.since;
  process::still_running();
}

}  // namespace

bool begins(Thread &thread, const void *frame, const void *base) {
  if (leaving::has_left(thread, frame)) return true;
  if (base != nullptr && !thread.own_traffic) {
    Nesting *nesting = nesting_of(thread);
    if (nesting != nullptr && nesting->callers.is_program(frames::of(frame, base)) && suspend(thread, *nesting)) {
      return true;
    }
  }
  leaving::passes_by(thread);
  return false;
}

bool may_be_program(Thread &thread, std::uintptr_t address) {
  Nesting *nesting = thread.own_traffic ? nullptr : nesting_of(thread);
  return nesting != nullptr && nesting->callers.may_be_program(address);
}

std::uint64_t ended(Thread &thread, std::uint64_t start, std::uint64_t stop) {
  thread.time_line.resume();
  Nesting *nesting = thread.nesting;
  if (nesting == nullptr || nesting->is_empty()) return start;
  const std::uint64_t ticks = clock::elapsed(start, stop);
  if (nesting->has(thread.inside)) {
    const std::uint64_t began = start;
    start += std::min(resume(thread, *nesting), ticks);
    thread.of_call.running.began_later(began, start);
    thread.record->inside_since = start;
  }
  if (!nesting->is_empty()) {
    go_on(thread, nesting->top(), ticks);
    thread.time_line.interrupt();
  }
  return start;
}

std::uint64_t interval_ended(Thread &thread, std::uint64_t start, std::uint64_t stop, bool counted) {
  start = ended(thread, start, stop);
  thread.time_line.resume();
  if (thread.time_line.is_over(stop)) thread.time_line.go_on(thread, start, stop, counted);
  if (thread.outer != nullptr) thread.time_line.interrupt();
  return start;
}

void forget(Thread &thread) {
  if (thread.nesting != nullptr) thread.nesting->depth = 0;
  thread.outer = nullptr;
  thread.time_line.resume();
}

}  // namespace rankwise::callbacks
