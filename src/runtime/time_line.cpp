#include "time_line.h"

#include "clock.h"
#include "counters_file.h"
#include "keys.h"
#include "process.h"
#include "thread.h"

namespace rankwise {
namespace {

// The first width: about a thousandth of a second.
constexpr int widths_a_quarter_second = 256;
// Adding up a row takes some 2 ns, and that may take 1/128 of the time: 256 ns of an interval for each row.
constexpr int row_shares_a_quarter_second_log2 = 20;
constexpr std::uint32_t widest = 56;  // log2 of the ticks: for a faulty clock

constexpr bool is_in_line(Procedure procedure) {
  switch (procedure) {
    case Procedure::none:
    case Procedure::MPI_Init:
    case Procedure::MPI_Init_thread:
    case Procedure::MPI_Finalize:
    case Procedure::MPI_Session_init:
    case Procedure::MPI_Session_finalize:
      return false;
    default:
      return true;
  }
}

constexpr bool is_in_collective(std::uint64_t message_key) {
  return message_key >> RANKWISE_MESSAGES_KIND_SHIFT == RANKWISE_MESSAGE_IN_COLLECTIVE;
}

rankwise_interval sum_of_rows(const Thread &thread) {
  rankwise_interval sum{};
  thread.calls.for_each([&sum](const rankwise_calls &row) {
    if (!is_in_line(keys::procedure(row.key))) return;
    sum.ticks += row.ticks;
    sum.bytes_sent += row.bytes_sent;
    sum.bytes_received += row.bytes_received;
    sum.calls += row.calls;
  });
  thread.messages.for_each([&sum](const rankwise_messages &row) {
    if (!is_in_collective(row.key)) sum.messages += row.messages;
  });
  return sum;
}

void add_difference(rankwise_interval &to, const rankwise_interval &now, const rankwise_interval &before) {
  to.ticks += now.ticks - before.ticks;
  to.bytes_sent += now.bytes_sent - before.bytes_sent;
  to.bytes_received += now.bytes_received - before.bytes_received;
  to.messages += now.messages - before.messages;
  to.calls += now.calls - before.calls;
}

}  // namespace

void TimeLine::go_on(const Thread &thread, std::uint64_t start, std::uint64_t stop, bool counted) {
  if (line_ == nullptr && !create(thread, start)) return;
  const rankwise_interval now = sum_of_rows(thread);
  add_difference(line_->intervals[line_->used - 1], now, booked_);
  booked_ = now;
  const std::uint64_t share = process::quarter_second() >> row_shares_a_quarter_second_log2;
  const std::uint64_t least_width = (thread.calls.size() + thread.messages.size()) * share;
  while (std::uint64_t{1} << line_->shift < least_width && line_->shift < widest) widen();
  reach(stop);
  if (counted && stop > start) {
    spread(start, stop);
    booked_.ticks += stop - start;  // it is ahead of the rows
  }
  end_ = (line_->first + line_->used) << line_->shift;
}

bool TimeLine::create(const Thread &thread, std::uint64_t start) {
  rankwise_section *section = counters_file::add_section(RANKWISE_SECTION_TIME_LINES, sizeof(rankwise_time_line), 1,
                                                         thread.index, counters_file::Need::ordinary);
  if (section == nullptr) {
    end_ = ~0ULL;
    return false;
  }
  auto *line = static_cast<rankwise_time_line *>(counters_file::records(section));
  const std::uint64_t width = process::quarter_second() / widths_a_quarter_second;
  line->shift = 63U - static_cast<unsigned>(__builtin_clzll(width | 1));
  line->first = start >> line->shift;
  line->used = 1;
  counters_file::publish(section);
  line_ = line;
  return true;
}

// Makes the interval that contains `ticks` the latest one.
void TimeLine::reach(std::uint64_t ticks) {
  const auto number = [&] { return clock::elapsed(line_->first, ticks >> line_->shift); };
  while (number() >= RANKWISE_MOST_INTERVALS && line_->shift < widest) widen();
  const std::uint64_t last = number() < RANKWISE_MOST_INTERVALS ? number() : RANKWISE_MOST_INTERVALS - 1;
  if (last >= line_->used) line_->used = static_cast<std::uint32_t>(last + 1);
}

// Merges neighbours, in place.
void TimeLine::widen() {
  rankwise_time_line &line = *line_;
  __atomic_store_n(&line.merges_begun, line.merges_begun + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  const std::uint64_t first = line.first >> 1;
  std::uint32_t used = 0;
  for (std::uint32_t i = 0; i < line.used; ++i) {
    const auto to = static_cast<std::uint32_t>(((line.first + i) >> 1) - first);
    const rankwise_interval from = line.intervals[i];
    line.intervals[i] = {};
    if (to == used) {
      line.intervals[used++] = from;
    } else {
      add_difference(line.intervals[to], from, {});
    }
  }
  line.first = first;
  line.used = used;
  ++line.shift;
  __atomic_store_n(&line.merges_done, line.merges_begun, __ATOMIC_RELEASE);
}

// The time of a call that ended in the latest interval.
void TimeLine::spread(std::uint64_t start, std::uint64_t stop) {
  for (std::uint32_t i = line_->used - 1; stop > start; --i) {
    const std::uint64_t begin = (line_->first + i) << line_->shift;
    const std::uint64_t from = i == 0 || begin < start ? start : begin;
    if (from >= stop) continue;  // it ended earlier: clocks of processors differ by some ticks
    line_->intervals[i].ticks += stop - from;
    stop = from;
  }
}

}  // namespace rankwise
