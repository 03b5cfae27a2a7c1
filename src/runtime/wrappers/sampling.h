// Which polling calls are timed. The same for every build.
#ifndef RANKWISE_WRAPPERS_SAMPLING_H
#define RANKWISE_WRAPPERS_SAMPLING_H

#include <cstdint>

namespace rankwise::sampling {

// RATIONALE: a polling call that finds nothing takes less time than two readings of the clock. The first calls of a row
// are all timed, so that few calls have exact times; of the later ones one of 8 on average is, and its time counts 8
// times. The choice is made by lot and before the call, so the expected sum is the true one, whatever rhythm the
// program has.
constexpr std::uint64_t timed_at_first = 1024;
constexpr unsigned one_of_bits = 3;

// How many calls the time of this one stands for, on a row that has `calls`; 0: it is not to be timed. `lot` is the
// thread's state of the lottery.
[[gnu::always_inline]] inline std::uint64_t weight(std::uint64_t &lot, std::uint64_t calls) {
  if (calls < timed_at_first) return 1;
  lot = lot * 6364136223846793005ULL + 1442695040888963407ULL;  // Knuth's; the high bits are the good ones
  return lot >> (64 - one_of_bits) == 0 ? 1U << one_of_bits : 0;
}

}  // namespace rankwise::sampling

#endif
