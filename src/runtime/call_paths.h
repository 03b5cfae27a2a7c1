// The call paths that lead to call sites, for a sample of the calls.
#ifndef RANKWISE_CALL_PATHS_H
#define RANKWISE_CALL_PATHS_H

#include <cstdint>

#include "format.h"
#include "frame_rules.h"
#include "keys.h"
#include "row_table.h"

namespace rankwise::call_paths {

using Rows = RowTable<rankwise_path, RANKWISE_SECTION_PATHS>;

// The sample of one thread. At each site, it takes one call in each window of so many, at a random place in it. It also
// takes each call in which the thread's time in MPI passes a multiple of a period.
//
// RATIONALE: the windows begin with one call and get longer, so that rare calls are rarely missed, and frequent ones
// cost little. A few long calls dominate the times, and windows would hardly ever hit them.
class Sampler {
 public:
  bool create(int thread);

  // Whether the call that has just ended is in the sample. `in_mpi`: ticks in all calls of the thread, with this one.
  [[gnu::always_inline]] bool takes(std::uint64_t key, std::uint64_t in_mpi) {
    return rates_[keys::site(key)].left-- == 0 || in_mpi >= next_;
  }

  // Records such a call, which returns to `frame`.
  [[gnu::cold, gnu::noinline]] void take(std::uint64_t key, std::uint64_t ticks, std::uint64_t in_mpi,
                                         frames::Frame frame);

 private:
  // The state of one site.
  struct Rate {
    std::uint32_t left;   // calls before the next one in the sample; `none`: it has just been reached
    std::uint16_t rest;   // calls in the latest window after that in the sample
    std::uint16_t taken;  // windows so far
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr unsigned windows_of_a_length = 32;
  static constexpr unsigned longest = 7;  // 2^7 calls

  static std::uint64_t length(const Rate &rate) {
    const unsigned doubled = rate.taken / windows_of_a_length;
    return std::uint64_t{1} << (doubled < longest ? doubled : longest);
  }
  void go_on(Rate &rate);
  rankwise_path *row_of(rankwise_path &path);
  void follow(frames::Frame frame, rankwise_path &path);
  std::uintptr_t end_of_stack(std::uintptr_t address);

  Rate *rates_ = nullptr;
  std::uint64_t next_ = 0;          // ticks in MPI with which a call is in the sample by time
  std::uint64_t drawn_ = 0;         // the latest random number
  std::uintptr_t stack_begin_ = 0;  // of the latest stack that was looked up
  std::uintptr_t stack_end_ = 0;
  unsigned stacks_ = 0;  // that were looked up
  int thread_ = 0;
  Rows rows_;
};

// Whether paths are recorded: not if RANKWISE_PATHS is off, or sites are not recorded.
void start();

// The loader has removed objects: others may reuse their addresses.
void forget();

}  // namespace rankwise::call_paths

#endif
