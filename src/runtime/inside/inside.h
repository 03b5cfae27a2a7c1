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

// Non-blocking and persistent collectives go on in whatever call happens to make progress; this tells them apart.
struct Operation {
  std::uint64_t key;  // of a handle or context and the internal tag; 0 = the message of a blocking call

  // On a communicator that the library has made below another: the key of the same tag on the upper one. There the tag
  // may be that of an operation on the upper one, or of one that a blocking call has started below.
  std::uint64_t above;

  // Of the program's communicator that the library uses for it, where the hook knows.
  std::uint32_t communicator = RANKWISE_COMMUNICATOR_OTHER;
  LateCalls *late_calls = nullptr;  // on it

  Operation(std::uint64_t key_) : key(key_), above(key_) {}
  Operation(std::uint64_t key_, std::uint64_t above_) : key(key_), above(above_) {}

  bool is_below() const { return key != above; }
};

// A hook is at work.
inline bool active = false;
// It tells the communicator of each operation, so that those that are started late can be told, too.
inline bool tells_communicators = false;

// Which procedures' messages the user wants; all if nothing else is asked for.
inline bool chosen[procedure_count];
void choose();

// --- What a hook says ---

// The library hands a message of its own to the transport. `peer`: as in the keys of messages.
void sent(std::uint32_t peer, std::uint64_t bytes, const Operation &operation);

// The same for the usual message: of a blocking call that has sent one before, to a peer that has a row. False if it is
// another one; then it is not booked.
//
// RATIONALE: inlined into the hooks, which do without a call, and without saving registers for it, where they can.
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

// The library waits for a message of an operation. The first that a process does for an operation, sending or
// receiving, it does in the call that starts it; so the call is known from then on.
void posted(const Operation &operation);

// --- What wrappers say ---

// The operation that the call which began at `start` has started, for operations::complete(); 0 if it has started none.
std::uint32_t operation_of(const Thread &thread, std::uint64_t start);

// A collective has succeeded, which began at `start`. Its root is -1 if it has none; `size` as in rankwise_pattern.
Kept completed(Thread &thread, Procedure procedure, std::uint32_t communicator, int root, std::uint64_t size,
               std::uint64_t start);

// A non-blocking one; `kept` is what completed() said, if it has a pattern.
void started(const Thread &thread, Procedure procedure, communicators::Communicator &communicator, std::uint64_t size,
             std::uint64_t start, Kept kept);

}  // namespace rankwise::inside

#endif
