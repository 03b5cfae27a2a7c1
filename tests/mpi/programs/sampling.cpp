// Polling calls on made-up clocks: what their times add up to. Prints the exact sum and the estimate of each.

#include "../../../src/runtime/wrappers/sampling.h"

#include <cstdint>
#include <cstdio>

namespace {

// `time_of(i)` is the time of call i.
template <class TimeOf>
void poll(std::uint64_t calls, TimeOf time_of) {
  std::uint64_t lot = 0, exact = 0, estimate = 0, timed = 0;
  for (std::uint64_t i = 0; i < calls; ++i) {
    const std::uint64_t weight = rankwise::sampling::weight(lot, i);
    exact += time_of(i);
    estimate += weight * time_of(i);
    timed += weight != 0 ? 1 : 0;
  }
  std::printf("%ju %ju %ju %ju\n", std::uintmax_t{calls}, std::uintmax_t{timed}, std::uintmax_t{exact},
              std::uintmax_t{estimate});
}

}  // namespace

int main() {
  poll(1000, [](std::uint64_t i) { return i % 100; });
  poll(2000, [](std::uint64_t) { return 50; });
  poll(1000000, [](std::uint64_t) { return 50; });
  // What a program does in turn must not fall in with the choice.
  poll(1000000, [](std::uint64_t i) { return i % 2 == 0 ? 1 : 1000; });
  poll(1000000, [](std::uint64_t i) { return i % 8 == 0 ? 1000 : 1; });
}
