// Calls that the program makes from its callbacks: functions of attributes, reductions, errors, generalised requests.
// They run inside a recorded call. That call is suspended while a callback's call is recorded, and its own time
// excludes the callback's call.
//
// RATIONALE: calls that are not nested pay nothing for this. `outer` replaces a nullptr that each call writes at its
// end. The end of a suspended call, or of a call made meanwhile, is found because its time line reports that its
// interval is over.
#ifndef RANKWISE_CALLBACKS_H
#define RANKWISE_CALLBACKS_H

#include <cstdint>

namespace rankwise {

struct Thread;

namespace callbacks {

// The suspended calls.
struct Nesting;

// A call is made while the thread is in another one, by a wrapper with this frame and this frame pointer. True if it
// must be recorded: the program makes it, or has left the other call. Without a frame pointer, only the latter is
// checked.
[[gnu::cold, gnu::noinline]] bool begins(Thread &thread, const void *frame, const void *base);

// Whether a call by this return address, made while the thread is in another one, may be the program's.
bool may_be_program(Thread &thread, std::uintptr_t address);

// The call that the thread is in is over. Returns its start, advanced by the time of its callbacks' calls. The
// enclosing call, if any, continues. The caller sets `inside`.
std::uint64_t ended(Thread &thread, std::uint64_t start, std::uint64_t stop);

// The same if its time line reports that an interval is over; passes that on to the time line. `counted`: whether the
// call will be counted.
[[gnu::cold, gnu::noinline]] std::uint64_t interval_ended(Thread &thread, std::uint64_t start, std::uint64_t stop,
                                                          bool counted);

// The thread's rows go to another one.
void forget(Thread &thread);

}  // namespace callbacks
}  // namespace rankwise

#endif
