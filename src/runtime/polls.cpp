// Long pauses between two polls: has the program computed or waited, or was it preempted while polling?
//
// If more processes poll than there are processors, each is interrupted every few milliseconds, and often between two
// polls. The wall time since an earlier reading of the thread's processor time, less the processor time, is the time in
// which the thread didn't run. There is a reading after each long poll and each long pause, so nearly all of that time
// is the single long pause in between.
#include "polls.h"

#include <sys/resource.h>

#include <algorithm>

#include "clock.h"

namespace rankwise {

namespace {

// In microseconds.
constexpr std::uint64_t slow_poll = 5;       // long enough to have been interrupted
constexpr std::uint64_t long_event = 50;     // worth a reading, which takes one or two
constexpr std::uint64_t interruption = 5;    // that a fast poll can hide
constexpr std::uint64_t run_of_polls = 100;  // long enough to know the activity of the thread
constexpr std::uint64_t crowd = 100'000;     // another interruption is likely for so long after one
// RATIONALE: the kernel charges its own work at an interruption to the thread: some microseconds, in virtual machines
// up to some hundred.
constexpr std::uint64_t tolerance = 20;
constexpr std::uint64_t most_tolerance = 200;
// The fraction of a pause that may have been something else, and of the thread's work that may be outside its polls.
constexpr double tolerated_part = 0.05;
constexpr double tolerated_work = 0.1;

}  // namespace

void Polls::measured(std::uint64_t booking, std::uint64_t microsecond) {
  longest_pause_ = 2 * booking;  // a busy machine takes longer
  microsecond_ = microsecond;
  short_poll_ = slow_poll * microsecond;
}

Polls::Reading Polls::read() {
  Reading now;
  for (int tries = 0; tries < 3 && !now.valid; ++tries) {
    rusage usage{};
    now.begun = clock::ticks();
    now.wall = clock::nanoseconds(CLOCK_MONOTONIC);
    now.processor = clock::nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    const bool known = getrusage(RUSAGE_THREAD, &usage) == 0;
    now.yielded = usage.ru_nvcsw;
    now.interrupted = usage.ru_nivcsw;
    now.ended = clock::ticks();
    now.valid = known && now.ended - now.begun <= long_event * microsecond_;  // not interrupted itself
  }
  return now;
}

Polls::Reading Polls::take() {
  const Reading now = read();
  if (now.interrupted != interruptions_) {
    interruptions_ = now.interrupted;
    latest_interruption_ = now.begun;
  }
  crowded_ = now.begun - latest_interruption_ < crowd * microsecond_;
  return now;
}

// The thread's activity between earlier polls is kept, to predict its activity between polls.
void Polls::begin_in_crowd() {
  reading_ = take();
  pauses_ = slow_polls_ = 0;
}

void Polls::after_slow_poll() {
  const std::uint64_t taken = stop_ - start_;
  if (taken <= long_event * microsecond_) {
    slow_polls_ += taken;
    return;
  }
  const Reading end = take();
  polled_ = polled_ / 2 + used(end) - static_cast<double>(pauses_);
  worked_ = worked_ / 2 + static_cast<double>(pauses_);
  renew(end);
  stop_ = end.ended;
}

std::uint64_t Polls::start_after_pause(std::uint64_t now) {
  const std::uint64_t pause = clock::elapsed(stop_, now);
  if (pause <= long_event * microsecond_) {
    pauses_ += pause;
    return now;
  }
  const Reading end = take();
  const bool interrupted = was_interrupted(end, stop_);
  renew(end);
  if (interrupted) return stop_;
  const std::uint64_t taken = clock::elapsed(now, end.ended);
  if (taken > long_event * microsecond_) return now;  // without a processor
  __atomic_fetch_add(&in_readings_, taken, __ATOMIC_RELAXED);
  return end.ended;
}

std::uint64_t Polls::take_reading_ns() {
  return __atomic_exchange_n(&in_readings_, 0, __ATOMIC_RELAXED) * 1000 / microsecond_;
}

// Processor time since the reading, in ticks.
double Polls::used(const Reading &end) const {
  const auto ticks = static_cast<double>(end.begun - reading_.begun);
  const auto nanoseconds = static_cast<double>(end.wall - reading_.wall);
  return static_cast<double>(end.processor - reading_.processor) * ticks / nanoseconds;
}

// Whether the thread was preempted during all of the pause that began at `begin` and ends with a reading.
bool Polls::was_interrupted(const Reading &end, std::uint64_t begin) {
  if (!reading_.valid || !end.valid) return false;
  const auto us = static_cast<double>(microsecond_);
  const auto pause = static_cast<double>(end.begun - begin);
  const double used_in_all = used(end);
  // If all time without the processor was in the pause.
  const double ran = std::clamp(pause + used_in_all - static_cast<double>(end.begun - reading_.begun), 0.0, pause);
  polled_ = polled_ / 2 + used_in_all - ran - static_cast<double>(pauses_);
  worked_ = worked_ / 2 + static_cast<double>(pauses_);
  // RATIONALE: a thread that computes for microseconds between its polls is interrupted there, too. It was computing.
  const bool only_polls = polled_ >= run_of_polls * us && worked_ <= polled_ * tolerated_work;
  worked_ += ran;
  // It may have been without the processor before the pause, too, but at most for this time.
  const auto switches = static_cast<std::uint64_t>(end.interrupted - reading_.interrupted);
  const std::uint64_t others = switches > 0 ? switches - 1 : 0;
  const std::uint64_t hidden = pauses_ + slow_polls_ + others * interruption * microsecond_;
  const auto before = static_cast<double>(std::min(hidden, others * long_event * microsecond_));
  const double tolerated = std::min(tolerance * us + pause * tolerated_part, most_tolerance * us);
  return only_polls && end.yielded == reading_.yielded && ran <= tolerated && before <= tolerated;
}

void Polls::renew(const Reading &end) {
  if (!reading_.valid) polled_ = worked_ = 0;
  reading_ = end;
  pauses_ = slow_polls_ = 0;
}

}  // namespace rankwise
