// The call whose messages a thread has booked last.
#ifndef RANKWISE_INSIDE_SENDER_H
#define RANKWISE_INSIDE_SENDER_H

#include <cstdint>

namespace rankwise::inside {

// A blocking call whose messages are booked, so that the next ones need not check whether, and where.
struct Sender {
  std::uint64_t call = ~0ULL;      // its rankwise_thread.inside_key; no call has this one
  std::uint64_t row_of_peer0 = 0;  // the key of the row of its messages to peer 0
};

}  // namespace rankwise::inside

#endif
