// A lock for the cold paths that several threads may take at once.
#ifndef RANKWISE_LOCK_H
#define RANKWISE_LOCK_H

#include <sched.h>

#include <atomic>

namespace rankwise {

class Lock {
 public:
  void acquire() {
    while (held_.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  bool try_acquire() { return !held_.test_and_set(std::memory_order_acquire); }
  void release() { held_.clear(std::memory_order_release); }

 private:
  std::atomic_flag held_;
};

// Holds a lock for a scope; `wanted` false makes it free of cost if only one thread may call MPI.
class Guard {
 public:
  explicit Guard(Lock &lock, bool wanted = true) : lock_(wanted ? &lock : nullptr) {
    if (lock_ != nullptr) lock_->acquire();
  }
  ~Guard() {
    if (lock_ != nullptr) lock_->release();
  }
  Guard(const Guard &) = delete;
  Guard &operator=(const Guard &) = delete;

 private:
  Lock *lock_;
};

}  // namespace rankwise

#endif
