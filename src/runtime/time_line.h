// The activity of a thread over time: a fixed number of intervals, whose width doubles if there is no more room.
// format.h, rankwise_time_line; docs/explanation/how-it-works.md, "Time line".
#ifndef RANKWISE_TIME_LINE_H
#define RANKWISE_TIME_LINE_H

#include <cstdint>

#include "format.h"

namespace rankwise {

struct Thread;

// Used only by the thread itself.
//
// RATIONALE: a call pays for one comparison. The rows of the thread have all the sums; when an interval is over, the
// increase of the rows is booked on it. So the intervals add up to the rows, regardless of the code that books on them.
class TimeLine {
 public:
  // Whether a call that ends at `ticks` ends in another interval than those before.
  [[gnu::always_inline]] bool is_over(std::uint64_t ticks) const { return ticks >= end_; }

  // Closes the interval that is over, and goes on to the interval in which a call ends that is not in the rows yet.
  // `counted`: its time will be.
  [[gnu::cold, gnu::noinline]] void go_on(const Thread &thread, std::uint64_t start, std::uint64_t stop, bool counted);

  // From interrupt() to resume() an interval is always over: a call has additional work at its end.
  void interrupt() {
    if (end_ != 0) kept_end_ = end_;
    end_ = 0;
  }
  void resume() {
    if (end_ == 0) end_ = kept_end_;
  }

 private:
  bool create(const Thread &thread, std::uint64_t start);
  void reach(std::uint64_t ticks);
  void widen();
  void spread(std::uint64_t start, std::uint64_t stop);

  std::uint64_t end_ = 0;  // of the latest interval, ticks
  std::uint64_t kept_end_ = 0;
  rankwise_time_line *line_ = nullptr;
  rankwise_interval booked_ = {};  // the part of the rows that is booked
};

}  // namespace rankwise

#endif
