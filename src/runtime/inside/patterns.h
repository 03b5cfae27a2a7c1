// The messages of the first calls of each collective, which identify its algorithm. format.h, rankwise_pattern.
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

// Counts a call of this shape, and returns whether its messages are kept.
Kept count(Procedure procedure, std::uint32_t communicator, int root, std::uint64_t size);

// Messages of a call that are kept.
void keep(Kept kept, std::uint32_t peer, std::uint64_t messages, std::uint64_t bytes);

// Messages of a call that should be kept, but could not be.
void lose(Kept kept, std::uint64_t messages);

// Messages of the call can't be distinguished from other calls' messages: its pattern is useless. They are booked
// anyway.
void spoil(Kept kept);

}  // namespace patterns
}  // namespace rankwise::inside

#endif
