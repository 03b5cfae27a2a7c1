#include "outlook.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "distances.h"

namespace rankwise::reordering {
namespace {

// Seconds that messages take, by the processes at both ends. Both directions are used at once.
class Loads {
 public:
  Loads(const Distances &distances, const Prices &prices, std::int32_t processes)
      : distances_(distances),
        prices_(prices),
        sent_(static_cast<std::size_t>(processes)),
        received_(static_cast<std::size_t>(processes)) {}

  void add(std::int32_t from, std::int32_t to, double messages, double bytes) {
    if (from == to) return;
    const std::int32_t distance = distances_.between(from, to);
    const double seconds = messages * prices_.per_message[distance] + bytes * prices_.per_byte[distance];
    sent_[static_cast<std::size_t>(from)] += seconds;
    received_[static_cast<std::size_t>(to)] += seconds;
  }

  double largest() const {
    if (sent_.empty()) return 0;
    return std::max(*std::max_element(sent_.begin(), sent_.end()),
                    *std::max_element(received_.begin(), received_.end()));
  }

 private:
  const Distances &distances_;
  const Prices &prices_;
  std::vector<double> sent_;
  std::vector<double> received_;
};

}  // namespace

rankwise_outlook outlook(const rankwise_traffic &traffic, const Slots &slots, std::int32_t processes,
                         const std::int32_t *new_rank, const Prices &prices, const double *block) {
  const Distances distances(slots);
  std::vector<std::int32_t> process(static_cast<std::size_t>(processes));  // of each role
  std::iota(process.begin(), process.end(), 0);
  for (std::int32_t i = 0; new_rank != nullptr && i < processes; i++)
    process[static_cast<std::size_t>(new_rank[i])] = i;

  rankwise_outlook found{};
  Loads loads(distances, prices, processes);
  for (std::int64_t i = 0; i < traffic.entries; i++) {
    const std::int32_t from = process[static_cast<std::size_t>(traffic.source[i])];
    const std::int32_t to = process[static_cast<std::size_t>(traffic.destination[i])];
    if (from != to) found.hops += traffic.bytes[i] * distances.hops(from, to);
    loads.add(from, to, traffic.messages == nullptr ? 0 : traffic.messages[i], traffic.bytes[i]);
  }
  found.seconds = loads.largest();

  Loads moving(distances, prices, processes);
  for (std::int32_t role = 0; role < processes; role++)
    moving.add(role, process[static_cast<std::size_t>(role)], 1, block[role]);
  found.moving = moving.largest();
  return found;
}

}  // namespace rankwise::reordering
