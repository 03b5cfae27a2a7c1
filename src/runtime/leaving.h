// Recorded calls that never return to their wrapper: the program leaves them by a C++ exception or by longjmp, from an
// error handler, an attribute's callback, a reduction's function, ...
#ifndef RANKWISE_LEAVING_H
#define RANKWISE_LEAVING_H

#include <cstdint>

namespace rankwise {

struct Thread;

namespace leaving {

// The start of the stack frame of the wrapper into which this is inlined: all its callees are below. It also makes
// unwinding pass rankwise_unwound on its way through the wrapper.
//
// RATIONALE: .cfi_personality, because destructors would need exceptions, and these the C++ library, which may be
// another one in the program. It costs nothing unless the stack is unwound.
[[gnu::always_inline]] inline const void *frame() {
  asm volatile(".cfi_personality 0x1b, rankwise_unwound");  // 0x1b: 4 bytes, relative to the program counter
  return __builtin_dwarf_cfa();
}

// A call is made while the thread is in a recorded one. True if the recorded call has been left meanwhile, with any
// call that was suspended for it. The stack shows that: nested calls are below. Otherwise the call is nested, or so
// deep that this is unknown.
bool has_left(Thread &thread, const void *frame);

// A nested call is not recorded.
void passes_by(Thread &thread);

}  // namespace leaving
}  // namespace rankwise

#endif
