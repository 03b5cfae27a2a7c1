// The messages of the first calls of each collective, from which its algorithm is recognised. format.h,
// rankwise_pattern.
#ifndef RANKWISE_INSIDE_PATTERNS_H
#define RANKWISE_INSIDE_PATTERNS_H

#include <cstdint>

#include "../generated/procedures.h"

namespace rankwise::inside {

// A call whose messages are kept; call 0 = they are not.
struct Kept {
  std::uint32_t pattern = 0;
  std::uint32_t call = 0;
};

namespace patterns {

// Counts a call of this shape, and says whether its messages are kept.
Kept count(Procedure procedure, std::uint32_t communicator, int root, std::uint64_t size);

// Messages of a call that are kept.
void keep(Kept kept, std::uint32_t peer, std::uint64_t messages, std::uint64_t bytes);

// Messages of a call that should be kept and could not be.
void lose(Kept kept, std::uint64_t messages);

// Messages of the call can't be told from those of other calls: its pattern says nothing. They are booked all the same.
void spoil(Kept kept);

}  // namespace patterns
}  // namespace rankwise::inside

#endif
