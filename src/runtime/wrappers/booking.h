// Adds to the rows of a thread. The same for every build.
#ifndef RANKWISE_WRAPPERS_BOOKING_H
#define RANKWISE_WRAPPERS_BOOKING_H

#include <cstdint>

#include "../keys.h"
#include "../thread.h"
#include "../windows.h"

namespace rankwise::booking {

// Receives data that finds no room at all; never read.
inline rankwise_calls lost_calls;
inline rankwise_messages lost_messages;
inline rankwise_accesses lost_accesses;

[[gnu::noinline]] inline rankwise_calls &other_row(Thread &thread, std::uint64_t key, std::uint64_t calls) {
  rankwise_calls *row = thread.calls.row(keys::other_calls(key), counters_file::Need::must);
  counters_file::drop(row != nullptr ? RANKWISE_DROPPED_CALL_ROWS : RANKWISE_DROPPED_THREAD_CALLS, calls);
  return row != nullptr ? *row : lost_calls;
}

// The row if the first probe has not found it. If rows get scarce, calls are booked without their site.
[[gnu::noinline]] inline rankwise_calls &searched_row(Thread &thread, std::uint64_t key, std::uint64_t calls) {
  rankwise_calls *row = thread.calls.find(key);
  if (row != nullptr) return *row;
  if (!keys::has_site(key) || thread.calls.size() < RANKWISE_MOST_SITE_ROWS) row = thread.calls.row(key);
  if (row == nullptr && keys::has_site(key)) {
    key = keys::without_site(key);
    row = thread.calls.row(key);
    if (row != nullptr) counters_file::drop(RANKWISE_DROPPED_SITE_ROWS, calls);
  }
  return row != nullptr ? *row : other_row(thread, key, calls);
}

// The row of a call. `calls` is 0 for later data of a call that was counted before.
[[gnu::always_inline]] inline rankwise_calls &row(Thread &thread, std::uint64_t key, std::uint64_t calls = 1) {
  rankwise_calls *row = thread.calls.row_at_once(key);
  if (row != nullptr) [[likely]] {
    return *row;
  }
  return searched_row(thread, key, calls);
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

// The row for the bytes of a call that was booked when it was posted, in the size bin of the posted buffer. If fewer
// were moved, the call goes to the bin of the real size.
inline rankwise_calls &row_of_moved(Thread &thread, std::uint64_t key, std::uint32_t ticks, std::uint64_t bytes) {
  const std::uint64_t real_key = keys::with_bin(key, keys::bin(bytes));
  if (real_key != key) {
    rankwise_calls &posted = row(thread, key, 0);
    --posted.calls;
    posted.ticks -= ticks;
    add_call(row(thread, real_key, 0), ticks);
  }
  return row(thread, real_key, 0);
}

[[gnu::always_inline]] inline rankwise_messages &message_row(Thread &thread, rankwise_message_kind kind,
                                                             Procedure procedure, std::uint32_t communicator,
                                                             std::uint32_t peer) {
  rankwise_messages *row = thread.messages.row(keys::messages(kind, procedure, communicator, peer));
  if (row == nullptr) [[unlikely]] {
    row = other_messages(thread, kind, procedure);
  }
  return *row;
}

[[gnu::always_inline]] inline void add_message(rankwise_messages &row, std::uint64_t bytes) {
  ++row.messages;
  row.bytes += bytes;
}

[[gnu::always_inline]] inline void add_message(Thread &thread, rankwise_message_kind kind, Procedure procedure,
                                               std::uint32_t communicator, std::uint32_t peer, std::uint64_t bytes) {
  add_message(message_row(thread, kind, procedure, communicator, peer), bytes);
}

// The row of a message over a window.
//
// RATIONALE: a program may have hundreds of windows, each with thousands of targets, and rows for all of them would
// take more of the node's memory than a profile is worth. A message without a row of the window is on its communicator.
[[gnu::noinline]] inline rankwise_messages &window_row(Thread &thread, rankwise_message_kind kind, Procedure procedure,
                                                       const windows::Window &window, std::uint32_t peer) {
  if (window.record != nullptr && thread.messages.size() >= RANKWISE_MOST_WINDOW_ROWS) [[unlikely]] {
    rankwise_messages *row = thread.messages.find(keys::messages(kind, procedure, window.index, peer));
    if (row != nullptr) return *row;
    counters_file::drop(RANKWISE_DROPPED_WINDOW_ROWS);
    return message_row(thread, kind, procedure, window.communicator, peer);
  }
  return message_row(thread, kind, procedure, window.index, peer);
}

inline rankwise_accesses &access_row(Thread &thread, std::uint32_t file, Procedure procedure) {
  if (!thread.accesses.exists() && !thread.accesses.create(thread.index)) {
    counters_file::drop(RANKWISE_DROPPED_ACCESS_ROWS);
    return lost_accesses;
  }
  rankwise_accesses *row = thread.accesses.row(keys::accesses(file, procedure));
  if (row == nullptr) {
    counters_file::drop(RANKWISE_DROPPED_ACCESS_ROWS);
    row = thread.accesses.row(keys::accesses(RANKWISE_FILE_OTHER, procedure), counters_file::Need::must);
  }
  return row != nullptr ? *row : lost_accesses;
}

[[gnu::noinline]] inline void add_access(Thread &thread, std::uint32_t file, Procedure procedure, std::uint64_t read,
                                         std::uint64_t written, std::uint64_t ticks) {
  rankwise_accesses &row = access_row(thread, file, procedure);
  ++row.accesses;
  row.bytes_read += read;
  row.bytes_written += written;
  row.ticks += ticks;
}

}  // namespace rankwise::booking

#endif
