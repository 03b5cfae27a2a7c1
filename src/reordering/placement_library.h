// librankwise_placement.so, in the directory of this library. It is loaded on first use, so that programs that never
// reorder do not pay for it.
#ifndef RANKWISE_REORDERING_PLACEMENT_LIBRARY_H
#define RANKWISE_REORDERING_PLACEMENT_LIBRARY_H

#include <cstddef>

#include "rankwise/reordering.h"

namespace rankwise::reordering::placement_library {

// nullptr and the reason if it is missing.
decltype(&rankwise_new_ranks) new_ranks(char *problem, std::size_t room);

}  // namespace rankwise::reordering::placement_library

#endif
