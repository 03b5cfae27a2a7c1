// Recorded calls that never return to their wrapper: the program leaves them by a C++ exception or by longjmp, from an
// error handler, an attribute's callback, a reduction's function, ...
#ifndef RANKWISE_LEAVING_H
#define RANKWISE_LEAVING_H

#include <cstdint>

namespace rankwise {

struct Thread;

namespace leaving {

// Where the stack of the wrapper begins that this is inlined into: all that it calls lies below. It also makes
// unwinding pass rankwise_unwound on its way through the wrapper.
//
// RATIONALE: .cfi_personality, because destructors would need exceptions, and these the C++ library, which may be
// another one in the program. It costs nothing where nobody unwinds.
[[gnu::always_inline]] inline const void *frame() {
  asm volatile(".cfi_personality 0x1b, rankwise_unwound");  // 0x1b: 4 bytes, relative to the program counter
  return __builtin_dwarf_cfa();
}

// A call is made while the thread is inside of a recorded one. True if that one has been left meanwhile, and any that
// was suspended for it, which is told by the stack: what is nested lies below. Else the call is nested, or so deep that
// it can't be told.
bool has_left(Thread &thread, const void *frame);

// A nested call is not recorded.
void passes_by(Thread &thread);

}  // namespace leaving
}  // namespace rankwise

#endif
