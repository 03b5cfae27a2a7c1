// Whether messages arrive at hosts: a walk of all messages for 64 destinations at once, a hop a round.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>
#include <vector>

#include "rankwise/fabric.h"

namespace {

constexpr std::uint16_t kNoPort = 0xffff;
constexpr std::int32_t kAtOnce = 64;

using Messages = std::vector<std::uint64_t>;  // at each switch, a bit for each destination

class Walk {
 public:
  explicit Walk(const rankwise_ways &ways) : ways_(ways), here_(ways.switches), next_(ways.switches) {}

  // For the destinations first ... last - 1.
  bool arrive(std::int32_t first, std::int32_t last, const std::int32_t *begin, std::int32_t begins,
              std::int32_t hops) {
    std::fill(here_.begin(), here_.end(), 0);
    for (std::int32_t at = 0; at < begins; at++) here_[begin[at]] = ~std::uint64_t{0} >> (kAtOnce - (last - first));
    for (std::int32_t hop = 0; hop < hops; hop++) {
      std::fill(next_.begin(), next_.end(), 0);
      for (std::int32_t at = 0; at < ways_.switches; at++) {
        const std::uint16_t *const forward = ways_.forward + at * ways_.lids * ways_.ways;
        const std::int32_t *const far = ways_.far + static_cast<std::int64_t>(at) * ways_.ports;
        for (std::uint64_t left = here_[at]; left; left &= left - 1)
          if (!go(forward, far, first + std::countr_zero(left), left & -left)) return false;
      }
      here_.swap(next_);
      if (std::all_of(here_.begin(), here_.end(), [](std::uint64_t messages) { return messages == 0; })) return true;
    }
    return false;
  }

 private:
  // Sends a message from a switch with this table and these cables to all next ones; false: it is lost.
  bool go(const std::uint16_t *forward, const std::int32_t *far, std::int32_t destination, std::uint64_t message) {
    const std::uint16_t *const ports = forward + ways_.lid[destination] * ways_.ways;
    bool goes = false;
    for (std::int32_t way = 0; way < ways_.ways; way++) {
      if (ports[way] == kNoPort) continue;
      const std::int32_t end = far[std::min<std::int32_t>(ports[way], ways_.ports - 1)];
      if (end < 0) return false;
      if (end < ways_.switches) {
        next_[end] |= message;
      } else if (end != ways_.switches + ways_.host[destination]) {
        return false;
      }
      goes = true;
    }
    return goes;
  }

  const rankwise_ways &ways_;
  Messages here_, next_;
};

}  // namespace

__attribute__((visibility("default"))) int rankwise_all_arrive(const rankwise_ways *ways, const std::int32_t *begin,
                                                               std::int32_t begins, std::int32_t hops) {
  try {
    Walk walk(*ways);
    for (std::int32_t first = 0; first < ways->destinations; first += kAtOnce)
      if (!walk.arrive(first, std::min(first + kAtOnce, ways->destinations), begin, begins, hops))
        return RANKWISE_NOT_ALL;
    return RANKWISE_ALL_ARRIVE;
  } catch (const std::bad_alloc &) {
    return RANKWISE_NO_SPACE;
  }
}
