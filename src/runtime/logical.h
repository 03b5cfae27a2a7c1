// The logical view of collectives: whose data goes to whom by the definition of the operation, whatever messages carry
// it. Kept only while a session of the introspection library wants it (src/introspection).
//
// A call to all is one addition, on its communicator; the members are looked at when the counts are read. Reading costs
// the size of each communicator that has had collectives since the last time.
#ifndef RANKWISE_LOGICAL_H
#define RANKWISE_LOGICAL_H

#include <cstdint>

#include "communicators.h"
#include "lock.h"

namespace rankwise::logical {

// Held by whoever calls the functions below.
inline Lock lock;

struct Total {
  std::uint64_t messages;
  std::uint64_t bytes;
};

// How many want it.
inline int wanted = 0;
inline bool active() { return __atomic_load_n(&wanted, __ATOMIC_RELAXED) != 0; }

// One more wants it; false if there is no memory. Totals only ever grow.
bool want();
void no_longer_want();

// Messages of `bytes` to each other process of the communicator, or to those behind this one in its order; to the
// remote group of an intercommunicator. Its world ranks must be known (unless it is the world).
void to_all(communicators::Communicator &communicator, std::uint64_t bytes);
void to_later(communicators::Communicator &communicator, std::uint64_t bytes);

// A message to one process, by its world rank.
void to_one(std::uint32_t world_rank, std::uint64_t bytes);

// The totals by world rank; nullptr before the first want().
const Total *settled();

// The communicator is about to go.
void settle(communicators::Communicator &communicator);

}  // namespace rankwise::logical

#endif
