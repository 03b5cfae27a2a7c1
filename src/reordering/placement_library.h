// librankwise_placement.so, in the directory of this library. It is loaded on first use, so that programs that never
// reorder do not pay for it.
#ifndef RANKWISE_REORDERING_PLACEMENT_LIBRARY_H
#define RANKWISE_REORDERING_PLACEMENT_LIBRARY_H

#include <cstddef>

namespace rankwise::reordering::placement_library {

// The address of a function there; nullptr and the reason if it is missing.
void *address_of(const char *name, char *problem, std::size_t room);

template <class Function>
Function function(const char *name, char *problem, std::size_t room) {
  return reinterpret_cast<Function>(address_of(name, problem, room));
}

}  // namespace rankwise::reordering::placement_library

#endif
