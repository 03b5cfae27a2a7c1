// librankwise_placement.so, which is installed beside this library: loaded on first use, so that programs that never
// reorder do not pay for it.
#ifndef RANKWISE_REORDERING_PLACEMENT_LIBRARY_H
#define RANKWISE_REORDERING_PLACEMENT_LIBRARY_H

#include <cstddef>

#include "rankwise/reordering.h"

namespace rankwise::reordering::placement_library {

// nullptr, and why, if it is not there.
decltype(&rankwise_new_ranks) new_ranks(char *problem, std::size_t room);

}  // namespace rankwise::reordering::placement_library

#endif
