// Reports how much of the work is done, in a number that the caller may read at any time.
#ifndef RANKWISE_PLACEMENT_PROGRESS_H
#define RANKWISE_PLACEMENT_PROGRESS_H

#include <atomic>

namespace rankwise::placement {

class Progress {
 public:
  static constexpr double kShare = 0.7;  // share of dividing in a step; the rest are swaps

  // Null: not reported.
  explicit Progress(double *reported) : reported_(reported) { set(0); }

  // The number of steps of the work.
  void begin(int steps) { step_ = 1.0 / steps; }

  // Adds a completed part of a step, in any thread.
  void add(double part) {
    if (reported_) std::atomic_ref(*reported_).fetch_add(part * step_, std::memory_order_relaxed);
  }

  void end_step() { set(++done_ * step_); }

 private:
  void set(double fraction) {
    if (reported_) std::atomic_ref(*reported_).store(fraction, std::memory_order_relaxed);
  }

  double *reported_;
  double step_ = 1;
  int done_ = 0;
};

}  // namespace rankwise::placement

#endif
