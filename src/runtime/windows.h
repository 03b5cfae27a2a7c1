// Windows of one-sided communication: found by handle, booked on the communicator that they were made from.
#ifndef RANKWISE_WINDOWS_H
#define RANKWISE_WINDOWS_H

#include <cstdint>
#include <cstdlib>

#include "format.h"
#include "handle_table.h"

namespace rankwise::windows {

// A window that is alive. The communicator may have been freed: its index in keys is all that is needed of it.
struct Window {
  std::uint64_t handle = 0;
  std::uint32_t communicator = RANKWISE_COMMUNICATOR_NONE;  // index in keys; none = its creation was not seen
  int size = 0;                                             // of its group
  bool is_world = false;                                    // ranks in it are those in MPI_COMM_WORLD
  int *world_ranks = nullptr;                               // by rank; nullptr = not yet asked for
  Window *next_unused = nullptr;

  void release() { std::free(world_ranks); }
};

using Table = HandleTable<Window>;

inline constinit Table table;

}  // namespace rankwise::windows

#endif
