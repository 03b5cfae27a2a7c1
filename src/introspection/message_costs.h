// What a message costs between the processes of a communicator, by their distance: measured between as many pairs at
// once as possible, as processes share links in the program, too.
#ifndef RANKWISE_INTROSPECTION_MESSAGE_COSTS_H
#define RANKWISE_INTROSPECTION_MESSAGE_COSTS_H

#include <cstddef>
#include <cstdint>

#include "members.h"
#include "rankwise/reordering.h"

namespace rankwise::introspection {

// Seconds. At distances that no pair has, 0.
struct MessageCosts {
  double per_message[RANKWISE_MOST_DISTANCES];
  double per_byte[RANKWISE_MOST_DISTANCES];
};

// What rank 0 asks of all.
struct Measurement {
  std::int32_t distances;
  std::int32_t *partner;  // [distances][processes], on rank 0
  std::size_t bytes;      // of a large message
};

// Collective. Fills `costs` on rank 0. False if MPI or the memory of a process failed; the same on all.
bool measure_messages(const Members &members, const Measurement &wish, MessageCosts *costs);

}  // namespace rankwise::introspection

#endif
