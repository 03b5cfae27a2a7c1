#include "leaving.h"

#include <pthread.h>
#include <unwind.h>

#include "callbacks.h"
#include "clock.h"
#include "communicators.h"
#include "counters_file.h"
#include "process.h"
#include "requests.h"
#include "thread.h"
#include "windows.h"
#include "wrappers/booking.h"

extern "C" {
_Unwind_Reason_Code rankwise_unwound(int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
                                     _Unwind_Exception *exception, _Unwind_Context *context);
// Called before longjmp jumps to `environment` (hooks/longjmp.S).
void rankwise_before_longjmp(const std::uint64_t *environment);
// Fills in two environments as setjmp does. The stack pointer of the second is 64 less than the first one's, which is
// returned.
std::uint64_t rankwise_set_jumps(std::uint64_t *first, std::uint64_t *second);
}

namespace rankwise::leaving {
namespace {

enum class Time { known, unknown };

// Puts back the objects that the call had taken out of the tables: the program may continue to use them. If MPI has
// freed one, the next object with its handle takes its place.
void put_back(Thread &thread) {
  const auto *taken = static_cast<const requests::Request *>(thread.of_call.scratch);
  for (int i = 0; i < thread.of_call.taken; ++i) {
    if (taken[i].kind != requests::Kind::none) requests::table.put(taken[i]);
  }
  thread.of_call.taken = 0;
  for (int i = 0; i < thread.of_call.starting_count; ++i) {
    const requests::Request &started = thread.of_call.starting[i];
    if (started.kind != requests::Kind::none) requests::table.complete(started.handle);
  }
  thread.of_call.starting_count = 0;
  if (thread.of_call.freeing != nullptr) communicators::table.show(thread.of_call.freeing);
  if (thread.of_call.freeing_window != nullptr) windows::table.show(thread.of_call.freeing_window);
  thread.of_call.freeing = nullptr;
  thread.of_call.freeing_window = nullptr;
}

// Ends the call that the thread is in as a failed call.
void leave(Thread &thread, Time time) {
  const std::uint64_t key = thread.record->inside_key;
  const bool counts = key != 0 && !process::paused;
  std::uint64_t start = thread.record->inside_since;
  thread.record->inside_key = 0;
  if (time == Time::known) {
    const std::uint64_t stop = clock::ticks();
    start = callbacks::interval_ended(thread, start, stop, counts);
    if (counts) booking::add_call(booking::row(thread, key), clock::elapsed(start, stop));
  } else {
    callbacks::ended(thread, start, start);
    if (counts) ++booking::row(thread, key).calls;
  }
  put_back(thread);
  thread.streams.lose();
  thread.own_traffic = false;
  thread.inside = thread.outer;
}

struct Stack {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;

  // Of the calling thread.
  Stack() {
    pthread_attr_t attributes;
    if (pthread_getattr_np == nullptr || pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void *address = nullptr;
    std::size_t bytes = 0;
    if (pthread_attr_getstack(&attributes, &address, &bytes) == 0) {
      low = reinterpret_cast<std::uintptr_t>(address);
      high = low + bytes;
    }
    pthread_attr_destroy(&attributes);
  }
  bool holds(std::uintptr_t address) const { return address >= low && address < high; }
};

// Whether a place on the stack is outside the thread's recorded call. Only places of one stack can be compared: signal
// handlers and coroutines may have others.
bool is_outside(const Thread &thread, std::uintptr_t place) {
  const auto frame = reinterpret_cast<std::uintptr_t>(thread.inside);
  if (place < frame) return false;
  const Stack stack;
  return stack.holds(place) && stack.holds(frame);
}

// The form in which setjmp stores the stack pointer: the C library may encrypt it with a key of the process.
struct Hidden {
#if defined(__x86_64__)
  static constexpr int place = 6;
#else
  static constexpr int place = 13;
#endif
  static constexpr int rotations[] = {17, 0};  // glibc's on x86-64; none elsewhere

  bool known = false;
  int rotation = 0;
  std::uint64_t key = 0;

  static std::uint64_t turned(std::uint64_t value, int bits) {
    return bits == 0 ? value : value >> bits | value << (64 - bits);
  }

  // Determined by two trial jumps.
  Hidden() {
    alignas(16) std::uint64_t first[64];
    alignas(16) std::uint64_t second[64];
    const std::uint64_t pointer = rankwise_set_jumps(first, second);
    for (const int bits : rotations) {
      key = turned(first[place], bits) ^ pointer;
      rotation = bits;
      known = (turned(second[place], bits) ^ (pointer - 64)) == key;
      if (known) return;
    }
  }

  std::uintptr_t show(const std::uint64_t *environment) const { return turned(environment[place], rotation) ^ key; }
};

}  // namespace

void passes_by(Thread &thread) {
  if (thread.nested_since != thread.record->inside_since) {
    thread.nested_since = thread.record->inside_since;
    thread.nested = 0;
  }
  ++thread.nested;
}

bool has_left(Thread &thread, const void *frame) {
  while (thread.inside != nullptr && is_outside(thread, reinterpret_cast<std::uintptr_t>(frame))) {
    // Some of these may be later than the jump; which ones is unknown.
    const bool some = thread.nested != 0 && thread.nested_since == thread.record->inside_since;
    if (some) counters_file::drop(RANKWISE_DROPPED_THREAD_CALLS, thread.nested);
    leave(thread, Time::unknown);
  }
  return thread.inside == nullptr;
}

}  // namespace rankwise::leaving

// (A nested call that is not recorded has jumped further, so the unwound wrapper belongs to the recorded call.)
_Unwind_Reason_Code rankwise_unwound(int /*version*/, _Unwind_Action actions, _Unwind_Exception_Class /*kind*/,
                                     _Unwind_Exception * /*exception*/, _Unwind_Context * /*context*/) {
  using namespace rankwise;
  Thread *thread = threads::current;
  if ((actions & _UA_CLEANUP_PHASE) != 0 && thread != nullptr && thread->inside != nullptr) {
    leaving::leave(*thread, leaving::Time::known);
  }
  return _URC_CONTINUE_UNWIND;
}

void rankwise_before_longjmp(const std::uint64_t *environment) {
  using namespace rankwise;
  Thread *thread = threads::current;
  if (thread == nullptr || thread->inside == nullptr) return;
  static const leaving::Hidden hidden;
  while (hidden.known && thread->inside != nullptr && leaving::is_outside(*thread, hidden.show(environment))) {
    leaving::leave(*thread, leaving::Time::known);
  }
}
