// Polling calls that follow each other: their times leave no gap where the program does nothing in between.
#ifndef RANKWISE_POLLS_H
#define RANKWISE_POLLS_H

#include <cstdint>

namespace rankwise {

// The latest polling call of a thread.
//
// RATIONALE: a poll that finds nothing takes less time than we need to book it. A program that does nothing but poll
// would seem to compute for more than half of its time, because our own work, on the way from the end of one call to
// the start of the next, is outside of both. So a poll begins where the one before has ended, if there was no more time
// in between than our own work may take. If there was more, the program has done something, and that is not MPI.
class Polls {
 public:
  // Ticks that our own work between two polls may take, set once it has been measured.
  inline static std::uint64_t longest_pause = 0;

  // When the poll that is about to be forwarded begins. `latest_call`: when the thread's latest call began.
  [[gnu::always_inline]] std::uint64_t start(std::uint64_t now, std::uint64_t latest_call) const {
    return latest_call == start_ && now - stop_ <= longest_pause ? stop_ : now;
  }
  [[gnu::always_inline]] void stop(std::uint64_t start, std::uint64_t stop) {
    start_ = start;
    stop_ = stop;
  }

 private:
  std::uint64_t start_ = 0;
  std::uint64_t stop_ = 0;
};

}  // namespace rankwise

#endif
