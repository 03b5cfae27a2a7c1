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
// in between than our own work may take. If there was more, the program has done something, and that is not MPI; unless
// the kernel took the processor away, which polls.cpp finds out where it has been long. To find out, it makes system
// calls, in which a busy kernel likes to take the processor away: their time is that of a poll, or our own cost.
class Polls {
 public:
  // Sets what the times are compared with, in ticks: what booking a call takes, and how many a microsecond has.
  static void measured(std::uint64_t booking, std::uint64_t microsecond);

  // Nanoseconds of the readings that are in no poll, since this was asked before.
  static std::uint64_t take_reading_ns();

  // When the poll that is about to be forwarded begins. `latest_call`: when the thread's latest call began.
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
  // When it has ended, with what is read after a slow one.
  [[gnu::always_inline]] std::uint64_t stop(std::uint64_t start, std::uint64_t stop) {
    start_ = start;
    stop_ = stop;
    if (stop - start > short_poll_) [[unlikely]] {
      after_slow_poll();
    }
    return stop_;
  }

 private:
  // What the thread had used at one moment. It says something about a later one as long as the thread only polls.
  struct Reading {
    bool valid = false;
    std::uint64_t begun = 0, ended = 0;  // ticks
    std::int64_t wall = 0;               // nanoseconds, at `begun`
    std::int64_t processor = 0;          // nanoseconds
    std::int64_t yielded = 0;            // times that the thread gave its processor up to wait for something
    std::int64_t interrupted = 0;        // times that it was taken away
  };

  static Reading read();
  Reading take();
  [[gnu::cold, gnu::noinline]] void begin_in_crowd();
  [[gnu::cold, gnu::noinline]] std::uint64_t start_after_pause(std::uint64_t now);
  [[gnu::cold, gnu::noinline]] void after_slow_poll();
  double used(const Reading &end) const;
  bool was_interrupted(const Reading &end, std::uint64_t begin);
  void renew(const Reading &end);

  inline static std::uint64_t in_readings_ = 0;    // ticks, of those that are in no poll
  inline static std::uint64_t longest_pause_ = 0;  // that our own work may take between two polls
  inline static std::uint64_t short_poll_ = ~0ULL;
  inline static std::uint64_t microsecond_ = ~0ULL >> 8U;

  std::uint64_t start_ = 0;
  std::uint64_t stop_ = 0;
  Reading reading_;
  // Whether the thread is interrupted every now and then. Only then it is worth a reading where polls begin: without it
  // nothing is known of their first pause.
  bool crowded_ = false;
  std::int64_t interruptions_ = 0;
  std::uint64_t latest_interruption_ = 0;
  // Ticks since the reading in which the thread may have been interrupted.
  std::uint64_t pauses_ = 0;      // short, but no polls
  std::uint64_t slow_polls_ = 0;  // short, but not as short as most
  // What the thread has used its processor for up to the reading, the latest most: ticks in polls and beside them.
  double polled_ = 0;
  double worked_ = 0;
};

}  // namespace rankwise

#endif
