// Messages that the MPI library itself sends, inside collectives and other calls, as the transport hooks see them
// (hooks/transport.h). docs/explanation/how-it-works.md, "Inside collectives".
#ifndef RANKWISE_INSIDE_INSIDE_H
#define RANKWISE_INSIDE_INSIDE_H

#include <cstdint>

#include "../generated/procedures.h"
#include "../process.h"
#include "../thread.h"
#include "late_calls.h"
#include "patterns.h"

namespace rankwise::inside {

// Non-blocking and persistent collectives progress in any call; this distinguishes them.
struct Operation {
  std::uint64_t key;  // hash of a handle or context and the internal tag; 0 = the message of a blocking call

  // On an internal communicator below another: the key of the same tag on the upper one. There the tag may belong to an
  // operation on the upper one, or to one that a blocking call has started below.
  std::uint64_t above;

  // The program's communicator for which the library uses it, if the hook knows.
  std::uint32_t communicator = RANKWISE_COMMUNICATOR_OTHER;
  LateCalls *late_calls = nullptr;  // on it

  Operation(std::uint64_t key_) : key(key_), above(key_) {}
  Operation(std::uint64_t key_, std::uint64_t above_) : key(key_), above(above_) {}

  bool is_below() const { return key != above; }
};

// A hook is at work.
inline bool active = false;
// It reports the communicator of each operation, so that late operations can be attributed, too.
inline bool tells_communicators = false;

// The procedures whose messages the user wants; all by default.
inline bool chosen[procedure_count];
void choose();

// --- Called by hooks ---

// The library passes its own message to the transport. `peer`: as in the keys of messages.
void sent(std::uint32_t peer, std::uint64_t bytes, const Operation &operation);

// The same for the usual message: a blocking call sends another one to a peer that has a row. False for any other
// message; then it is not booked.
//
// RATIONALE: inlined into the hooks, which avoid a call, and saving registers for it, if they can.
[[gnu::always_inline]] inline bool sent_at_once(Thread &thread, std::uint32_t peer, std::uint64_t bytes) {
  if (!active || !threads::recording || process::paused || thread.own_traffic) return false;
  if (thread.record->inside_key != thread.sender.call) return false;
  rankwise_messages *row = thread.messages.row_at_once(thread.sender.row_of_peer0 | peer);
  inside::Running &running = thread.of_call.running;
  if (row == nullptr || !running.note_at_once(thread.record->inside_since, {0, bytes, peer, 1})) return false;
  ++row->messages;
  row->bytes += bytes;
  return true;
}

// The library waits for a message of an operation. A process sends or receives its first message for an operation in
// the call that starts it; so the call is known from then on.
void posted(const Operation &operation);

// --- Called by wrappers ---

// The operation that the call which began at `start` has started, for operations::complete(); 0 if it has started none.
std::uint32_t operation_of(const Thread &thread, std::uint64_t start);

// A collective has succeeded, which began at `start`. Its root is -1 if it has none; `size` as in rankwise_pattern.
Kept completed(Thread &thread, Procedure procedure, std::uint32_t communicator, int root, std::uint64_t size,
               std::uint64_t start);

// A non-blocking one; `kept` is the result of completed(), if it has a pattern.
void started(const Thread &thread, Procedure procedure, communicators::Communicator &communicator, std::uint64_t size,
             std::uint64_t start, Kept kept);

}  // namespace rankwise::inside

#endif
