#include "machine.h"

#include <algorithm>
#include <numeric>

namespace rankwise::placement {

namespace {

constexpr Index kMostKnown = 64;  // groups: with more, only few pairs are ever requested

Price price_of(const rankwise_slots &slots, int common) {
  return {slots.per_byte[common], slots.per_message ? slots.per_message[common] : 0};
}

}  // namespace

Machine::Machine(const rankwise_slots &slots, const Network *network)
    : network_(network), prices_{price_of(slots, 0)}, order_(slots.slots) {
  std::iota(order_.begin(), order_.end(), 0);
  const int outermost = network ? slots.network->level : 0;
  const int depth = slots.depth - outermost;
  const auto objects = [&](Index slot) {
    return slots.object + static_cast<std::size_t>(slot) * slots.depth + outermost;
  };
  std::stable_sort(order_.begin(), order_.end(), [&](Index a, Index b) {
    return std::lexicographical_compare(objects(a), objects(a) + depth, objects(b), objects(b) + depth);
  });

  // Levels end where the price changes: levels between make no difference.
  std::vector<int> ends;
  for (int common = 1; common <= depth; common++) {
    const Price price = price_of(slots, outermost + common);
    if (price == prices_.back() && !(network && common == 1)) continue;
    prices_.push_back(price);
    ends.push_back(common);
  }
  depth_ = static_cast<int>(ends.size());

  Indices number(depth_, 0);
  for (Index place = 0; place < this->slots(); place++) {
    bool is_new = place == 0;
    for (int level = 0; level < depth_ && place > 0; level++) {
      const Index *mine = objects(order_[place]), *before = objects(order_[place - 1]);
      if (std::equal(mine, mine + ends[level], before)) continue;
      number[level]++;
      is_new = true;
    }
    if (is_new) {
      first_.push_back(place);
      if (network) node_.push_back(*objects(order_[place]));
      object_.insert(object_.end(), number.begin(), number.end());
    }
    group_.push_back(static_cast<Index>(first_.size()) - 1);
  }
  first_.push_back(this->slots());
  if (!network || groups() > kMostKnown) return;
  known_.reserve(static_cast<std::size_t>(groups()) * groups());
  for (Index first = 0; first < groups(); first++)
    for (Index second = 0; second < groups(); second++) known_.push_back(computed(first, second));
}

Indices Machine::parts(Index first, Index last, int level) const {
  Indices begins;
  for (Index place = first; place < last; place++)
    if (place == first || row(group_[place])[level] != row(group_[place - 1])[level]) begins.push_back(place);
  begins.push_back(last);
  return begins;
}

}  // namespace rankwise::placement
