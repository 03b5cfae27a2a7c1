// Windows of one-sided communication: found by handle, named without a message. docs/explanation/how-it-works.md,
// "Names".
#ifndef RANKWISE_WINDOWS_H
#define RANKWISE_WINDOWS_H

#include <cstdint>
#include <cstdlib>

#include "communicators.h"
#include "format.h"
#include "generated/procedures.h"
#include "handle_table.h"

namespace rankwise::windows {

// A window that is alive. The communicator may have been freed: its index in keys is all that is needed of it.
struct Window {
  std::uint64_t handle = 0;
  std::uint32_t index = RANKWISE_COMMUNICATOR_NONE;         // in keys; its communicator's where it has no record
  std::uint32_t communicator = RANKWISE_COMMUNICATOR_NONE;  // index in keys; none = its creation was not seen
  int size = 0;                                             // of its group
  bool is_world = false;                                    // ranks in it are those in MPI_COMM_WORLD
  int *world_ranks = nullptr;                               // by rank; nullptr = not yet asked for
  rankwise_communicator *record = nullptr;                  // nullptr = no room, or its creation was not seen
  arrivals::OfCommunicator *arrivals = nullptr;             // nullptr = nobody can wait here
  Window *next_unused = nullptr;

  void release() {
    std::free(world_ranks);
    arrivals::release(arrivals);
  }
};

using Table = HandleTable<Window>;

inline constinit Table table;

// Enters a window that the procedure has made from a communicator; nullptr = one that is not known.
void created(std::uint64_t handle, Procedure procedure, communicators::Communicator *parent);

// The window, hidden in the table before, is gone; the record says when.
void freed(Window *window);

}  // namespace rankwise::windows

#endif
