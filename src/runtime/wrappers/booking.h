// Adding to the rows of a thread. The same for every build.
#ifndef RANKWISE_WRAPPERS_BOOKING_H
#define RANKWISE_WRAPPERS_BOOKING_H

#include <cstdint>

#include "../keys.h"
#include "../thread.h"

namespace rankwise::booking {

// Takes what finds no room at all; never read.
inline rankwise_calls lost_calls;
inline rankwise_messages lost_messages;

[[gnu::noinline]] inline rankwise_calls &other_row(Thread &thread, std::uint64_t key, std::uint64_t calls) {
  rankwise_calls *row = thread.calls.row(keys::other_calls(key), counters_file::Need::must);
  counters_file::drop(row != nullptr ? RANKWISE_DROPPED_CALL_ROWS : RANKWISE_DROPPED_THREAD_CALLS, calls);
  return row != nullptr ? *row : lost_calls;
}

// The row that a call belongs to. `calls` is 0 for what follows later on a call that was counted before.
[[gnu::always_inline]] inline rankwise_calls &row(Thread &thread, std::uint64_t key, std::uint64_t calls = 1) {
  rankwise_calls *row = thread.calls.row(key);
  if (row != nullptr) [[likely]] {
    return *row;
  }
  return other_row(thread, key, calls);
}

[[gnu::always_inline]] inline void add_call(rankwise_calls &row, std::uint64_t ticks) {
  if (row.calls == 0 || ticks < row.min_ticks) row.min_ticks = ticks;
  if (ticks > row.max_ticks) row.max_ticks = ticks;
  row.ticks += ticks;
  ++row.calls;
}

[[gnu::noinline]] inline rankwise_messages *other_messages(Thread &thread, rankwise_message_kind kind,
                                                           Procedure procedure) {
  counters_file::drop(RANKWISE_DROPPED_MESSAGE_ROWS);
  rankwise_messages *row = thread.messages.row(keys::other_messages(kind, procedure), counters_file::Need::must);
  return row != nullptr ? row : &lost_messages;
}

// Bytes of a receive that was booked when it was posted, in the size bin of the posted buffer. If the message was
// smaller, its call moves to the bin of what really came.
inline void move_received(Thread &thread, std::uint64_t key, std::uint32_t ticks, std::uint64_t bytes) {
  const std::uint64_t real_key = keys::with_bin(key, keys::bin(bytes));
  if (real_key != key) {
    rankwise_calls &posted = row(thread, key, 0);
    --posted.calls;
    posted.ticks -= ticks;
    add_call(row(thread, real_key, 0), ticks);
  }
  row(thread, real_key, 0).bytes_received += bytes;
}

[[gnu::always_inline]] inline void add_message(Thread &thread, rankwise_message_kind kind, Procedure procedure,
                                               std::uint32_t communicator, std::uint32_t peer, std::uint64_t bytes) {
  rankwise_messages *row = thread.messages.row(keys::messages(kind, procedure, communicator, peer));
  if (row == nullptr) [[unlikely]] {
    row = other_messages(thread, kind, procedure);
  }
  ++row->messages;
  row->bytes += bytes;
}

}  // namespace rankwise::booking

#endif
