// Operations of the library that outlast the call that starts them, and their calls.
#ifndef RANKWISE_INSIDE_OPERATIONS_H
#define RANKWISE_INSIDE_OPERATIONS_H

#include <cstdint>

#include "cause.h"

namespace rankwise::inside::operations {

// The cause of an operation; unknown if it was never learned, or so long ago that others have taken its place.
Cause find(std::uint64_t operation);

// Replaces the previous cause: libraries reuse internal tags eventually.
void learn(std::uint64_t operation, const Cause &cause);

// A short name of the operation in 28 bits; not 0.
std::uint32_t short_name(std::uint64_t operation);

// The operation with this short name is complete.
void complete(std::uint32_t name);

// The communicator is gone, and others may reuse its handles and contexts.
void forget(std::uint32_t communicator);

}  // namespace rankwise::inside::operations

#endif
