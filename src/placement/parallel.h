// Runs two parts of the work at the same time if a thread is available.
#ifndef RANKWISE_PLACEMENT_PARALLEL_H
#define RANKWISE_PLACEMENT_PARALLEL_H

#include <atomic>
#include <exception>
#include <thread>

namespace rankwise::placement {

class Parallel {
 public:
  // The maximum number of threads, including the caller's.
  explicit Parallel(int threads) : free_(threads - 1) {}

  template <typename One, typename Other>
  void both(One &&first, Other &&second) {
    if (!take()) {
      first();
      second();
      return;
    }
    std::exception_ptr failure;
    std::thread thread([&] {
      try {
        second();
      } catch (...) {
        failure = std::current_exception();
      }
    });
    std::exception_ptr mine;
    try {
      first();
    } catch (...) {
      mine = std::current_exception();
    }
    thread.join();
    free_++;
    if (mine) std::rethrow_exception(mine);
    if (failure) std::rethrow_exception(failure);
  }

  // Does work(0) ... work(count - 1).
  template <typename Work>
  void each(int first, int last, const Work &work) {
    if (last - first == 1) work(first);
    if (last - first < 2) return;
    const int middle = first + (last - first) / 2;
    both([&] { each(first, middle, work); }, [&] { each(middle, last, work); });
  }

 private:
  bool take() {
    int free = free_.load();
    while (free > 0)
      if (free_.compare_exchange_weak(free, free - 1)) return true;
    return false;
  }

  std::atomic<int> free_;
};

}  // namespace rankwise::placement

#endif
