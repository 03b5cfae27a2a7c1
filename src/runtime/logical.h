// The logical view of collectives: whose data goes to which rank by the definition of the operation, regardless of the
// messages that carry it. Kept only while a session of the introspection library needs it (src/introspection).
//
// A call to all is one addition, on its communicator; the members are visited when the counts are read. Reading costs
// the size of each communicator that has had collectives since the last time.
#ifndef RANKWISE_LOGICAL_H
#define RANKWISE_LOGICAL_H

#include <cstdint>

#include "communicators.h"
#include "lock.h"

namespace rankwise::logical {

// The caller of the functions below must hold it.
inline Lock lock;

struct Total {
  std::uint64_t messages;
  std::uint64_t bytes;
};

// Number of users.
inline int wanted = 0;
inline bool active() { return __atomic_load_n(&wanted, __ATOMIC_RELAXED) != 0; }

// Adds a user; false if memory is exhausted. Totals only ever grow.
bool want();
void no_longer_want();

// Messages of `bytes` to each other process of the communicator, or to those after this one in its order; to the remote
// group of an intercommunicator. Its world ranks must be known (unless it is the world).
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
