// Tells the caller, in a number that it may read at any time, how much of the work is done.
#ifndef RANKWISE_PLACEMENT_PROGRESS_H
#define RANKWISE_PLACEMENT_PROGRESS_H

#include <atomic>

namespace rankwise::placement {

class Progress {
 public:
  static constexpr double kShare = 0.7;  // of a step, that dividing takes; the rest are swaps

  // Null: nobody wants to know.
  explicit Progress(double *told) : told_(told) { set(0); }

  // The work consists of so many steps.
  void begin(int steps) { step_ = 1.0 / steps; }

  // A part of the step is done, in any thread.
  void add(double part) {
    if (told_) std::atomic_ref(*told_).fetch_add(part * step_, std::memory_order_relaxed);
  }

  void end_step() { set(++done_ * step_); }

 private:
  void set(double fraction) {
    if (told_) std::atomic_ref(*told_).store(fraction, std::memory_order_relaxed);
  }

  double *told_;
  double step_ = 1;
  int done_ = 0;
};

}  // namespace rankwise::placement

#endif
