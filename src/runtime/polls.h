// Polling calls in a row: their times leave no gap if the program does nothing in between.
#ifndef RANKWISE_POLLS_H
#define RANKWISE_POLLS_H

#include <cstdint>

namespace rankwise {

// The latest polling call of a thread.
//
// RATIONALE: a poll that finds nothing takes less time than booking it. A program that only polls would seem to compute
// for more than half of its time, because our own work, from the end of one call to the start of the next, is outside
// both. So a poll begins at the end of the previous one, if the gap is not longer than our own work may take. If it is
// longer, the program has computed, and that is not MPI; unless the kernel preempted it, which polls.cpp checks after
// long gaps. This check makes system calls, in which a busy kernel often preempts the thread: their time counts as a
// poll, or as our own cost.
class Polls {
 public:
  // Sets the reference times, in ticks: the cost of booking a call, and the length of a microsecond.
  static void measured(std::uint64_t booking, std::uint64_t microsecond);

  // Nanoseconds of the readings outside polls, since the previous query.
  static std::uint64_t take_reading_ns();

  // The start of the poll that is about to be forwarded. `latest_call`: when the thread's latest call began.
  [[gnu::always_inline]] std::uint64_t start(std::uint64_t now, std::uint64_t latest_call) {
    if (latest_call != start_) {
      reading_.valid = false;
      if (crowded_) [[unlikely]] {
        begin_in_crowd();
      }
      return now;
    }
    return now - stop_ <= longest_pause_ ? stop_ : start_after_pause(now);
  }
  // The end of the poll, including the reading after a slow one.
  [[gnu::always_inline]] std::uint64_t stop(std::uint64_t start, std::uint64_t stop) {
    start_ = start;
    stop_ = stop;
    if (stop - start > short_poll_) [[unlikely]] {
      after_slow_poll();
    }
    return stop_;
  }

 private:
  // The thread's usage at one moment. It predicts later usage as long as the thread only polls.
  struct Reading {
    bool valid = false;
    std::uint64_t begun = 0, ended = 0;  // ticks
    std::int64_t wall = 0;               // nanoseconds, at `begun`
    std::int64_t processor = 0;          // nanoseconds
    std::int64_t yielded = 0;            // voluntary context switches
    std::int64_t interrupted = 0;        // involuntary context switches
  };

  static Reading read();
  Reading take();
  [[gnu::cold, gnu::noinline]] void begin_in_crowd();
  [[gnu::cold, gnu::noinline]] std::uint64_t start_after_pause(std::uint64_t now);
  [[gnu::cold, gnu::noinline]] void after_slow_poll();
  double used(const Reading &end) const;
  bool was_interrupted(const Reading &end, std::uint64_t begin);
  void renew(const Reading &end);

  inline static std::uint64_t in_readings_ = 0;    // ticks, of readings outside polls
  inline static std::uint64_t longest_pause_ = 0;  // maximum time of our work between two polls
  inline static std::uint64_t short_poll_ = ~0ULL;
  inline static std::uint64_t microsecond_ = ~0ULL >> 8U;

  std::uint64_t start_ = 0;
  std::uint64_t stop_ = 0;
  Reading reading_;
  // Whether the thread is interrupted repeatedly. Only then a reading at the start of polls is worth its cost: without
  // it nothing is known about their first pause.
  bool crowded_ = false;
  std::int64_t interruptions_ = 0;
  std::uint64_t latest_interruption_ = 0;
  // Ticks since the reading in which the thread may have been interrupted.
  std::uint64_t pauses_ = 0;      // short, but no polls
  std::uint64_t slow_polls_ = 0;  // short, but not as short as most
  // The thread's processor time up to the reading, with a weight on recent use: ticks in polls and outside them.
  double polled_ = 0;
  double worked_ = 0;
};

}  // namespace rankwise

#endif
