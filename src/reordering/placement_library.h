// librankwise_placement.so, which stands beside the library that this is part of: loaded when the first order is asked
// for, so that a program that never does so is not burdened with it.
#ifndef RANKWISE_REORDERING_PLACEMENT_LIBRARY_H
#define RANKWISE_REORDERING_PLACEMENT_LIBRARY_H

#include <cstddef>

#include "rankwise/reordering.h"

namespace rankwise::reordering::placement_library {

// nullptr, and why, if it is not there.
decltype(&rankwise_new_ranks) new_ranks(char *problem, std::size_t room);

}  // namespace rankwise::reordering::placement_library

#endif
