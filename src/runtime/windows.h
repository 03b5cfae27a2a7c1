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
#include "streams.h"

namespace rankwise::windows {

// The processes of an epoch that MPI_Win_start or MPI_Win_post has opened.
struct Peers {
  int count = 0;
  int *ranks = nullptr;  // malloc'ed: in the window, then in MPI_COMM_WORLD
};

// A live window. The communicator may have been freed: only its index in keys is needed.
struct Window {
  std::uint64_t handle = 0;
  std::uint32_t index = RANKWISE_COMMUNICATOR_NONE;         // in keys; its communicator's where it has no record
  std::uint32_t communicator = RANKWISE_COMMUNICATOR_NONE;  // index in keys; none = its creation was not seen
  int size = 0;                                             // of its group
  bool is_world = false;                                    // ranks in it are those in MPI_COMM_WORLD
  int *world_ranks = nullptr;                               // by rank; nullptr = not yet requested
  rankwise_communicator *record = nullptr;                  // nullptr = no room, or its creation was not seen
  arrivals::OfCommunicator *arrivals = nullptr;             // nullptr = no rank can wait here
  Peers targets;                                            // of the epoch of access
  Peers origins;                                            // of the epoch of exposure
  Window *next_unused = nullptr;

  void release() {
    std::free(world_ranks);
    std::free(targets.ranks);
    std::free(origins.ranks);
    arrivals::release(arrivals);
  }
};

using Table = HandleTable<Window>;

inline constinit Table table;

// Enters a window that the procedure has made from a communicator; nullptr = unknown.
void created(std::uint64_t handle, Procedure procedure, communicators::Communicator *parent);

// The signals of MPI_Win_post to the origins, and of MPI_Win_complete to the targets: the tags of such messages.
enum Signal : std::int32_t { exposed, accessed };

// A call has sent signals to processes, or has received them. They are numbered and sampled as messages are.
//
// Args:
//   flags: of rankwise_side_flags.
//   posted: when a signal that is sent was on its way, at the latest; for a received one, when the call began.
//   call: the waiting call; `messages` counts the messages that it waited for.
struct Signals {
  Signal signal;
  bool receives;
  std::uint16_t flags;
  std::uint64_t posted;
  Procedure procedure;
};
void passed(const Window &window, const Peers &peers, streams::Streams &streams, const Signals &signals,
            const streams::Waited &call);

// The window, hidden in the table before, is gone; records the time.
void freed(Window *window);

}  // namespace rankwise::windows

#endif
