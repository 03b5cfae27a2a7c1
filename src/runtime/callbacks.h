// Calls that the program makes from its callbacks: functions of attributes, reductions, errors, generalised requests.
// They run inside of a recorded call. That one is suspended while a callback's call is recorded, and its own time is
// without it.
//
// RATIONALE: calls that are nested in no other pay for none of this. `outer` takes the place of a nullptr that each
// writes at its end; the end of a call that was suspended, or made while another one is, is found because its time line
// says that its interval is over.
#ifndef RANKWISE_CALLBACKS_H
#define RANKWISE_CALLBACKS_H

#include <cstdint>

namespace rankwise {

struct Thread;

namespace callbacks {

// What is suspended.
struct Nesting;

// A call is made while the thread is inside of another one, by a wrapper with this frame and this frame pointer. True
// if it is to be recorded: the program makes it, or has left the other one. With nullptr for the frame pointer only the
// latter.
[[gnu::cold, gnu::noinline]] bool begins(Thread &thread, const void *frame, const void *base);

// Whether a call by this return address, made while the thread is inside of another one, may be the program's.
bool may_be_program(Thread &thread, std::uintptr_t address);

// The call that the thread is inside of is over. When it began, moved on by what its callbacks' calls took; and the
// call that it is a callback's of goes on. `inside` is left to the caller.
std::uint64_t ended(Thread &thread, std::uint64_t start, std::uint64_t stop);

// The same where its time line says that an interval is over, which it tells that, too. `counted`: the call will be.
[[gnu::cold, gnu::noinline]] std::uint64_t interval_ended(Thread &thread, std::uint64_t start, std::uint64_t stop,
                                                          bool counted);

// The thread's rows go to another one.
void forget(Thread &thread);

}  // namespace callbacks
}  // namespace rankwise

#endif
