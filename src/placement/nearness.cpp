#include "nearness.h"

#include <algorithm>

namespace rankwise::placement {

Nearness::Nearness(const Traffic &traffic, const Machine &machine, const Indices &group)
    : traffic_(traffic),
      machine_(machine),
      group_(group),
      spread_(machine.depth() + 1),
      sums_(at(traffic.rows.size(), 0)) {
  const Price nearest = machine.price(machine.depth());
  Price lowest = nearest;
  for (int common = machine.depth(); common >= 0; common--) {
    const Price price = machine.price(common);
    lowest = {std::min(lowest.byte, price.byte), std::min(lowest.message, price.message)};
    // Two that change places stay as far apart: that saves if prices rise inwards.
    spread_[common] = {std::max(price.byte - lowest.byte, nearest.byte - price.byte),
                       std::max(price.message - lowest.message, nearest.message - price.message)};
  }
  for (Index rank = 0; rank < traffic.rows.size(); rank++)
    for (std::size_t i = traffic.rows.first(rank); i < traffic.rows.last(rank); i++)
      add(rank, machine.common(group[rank], group[traffic.rows.adjacent[i]]), i, 1);
}

double Nearness::most_saved(Index rank, int shared) const {
  const Sum *sums = sums_.data() + at(rank, 0);
  double saved = spread_[shared].of(sums[shared].bytes, sums[shared].messages);
  for (int common = shared + 1; common <= machine_.depth(); common++)
    saved += (machine_.price(common) - machine_.price(shared)).of(sums[common].bytes, sums[common].messages);
  return saved;
}

bool Nearness::may_save(Index rank, double least) const {
  for (int shared = 0; shared < machine_.depth(); shared++)
    if (most_saved(rank, shared) > least) return true;
  return false;
}

void Nearness::move(Index rank, Index to) {
  for (std::size_t i = traffic_.rows.first(rank); i < traffic_.rows.last(rank); i++) {
    const Index partner = traffic_.rows.adjacent[i];
    const int before = machine_.common(group_[rank], group_[partner]), after = machine_.common(to, group_[partner]);
    if (before == after) continue;
    for (const Index end : {rank, partner}) {
      add(end, before, i, -1);
      add(end, after, i, 1);
    }
  }
}

void Nearness::add(Index rank, int common, std::size_t entry, double sign) {
  Sum &sum = sums_[at(rank, common)];
  sum.bytes += sign * traffic_.bytes[entry];
  if (!traffic_.messages.empty()) sum.messages += sign * traffic_.messages[entry];
}

}  // namespace rankwise::placement
