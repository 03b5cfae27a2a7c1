#include "machine.h"

#include <algorithm>
#include <numeric>
#include <utility>

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
  find_paths();
  if (!network || groups() > kMostKnown) return;
  known_.reserve(static_cast<std::size_t>(groups()) * groups());
  for (Index first = 0; first < groups(); first++)
    for (Index second = 0; second < groups(); second++) known_.push_back(computed(first, second));
}

void Machine::find_paths() {
  std::vector<Indices> part(depth_, Indices(groups(), 0));  // of each group, in the object around it
  Indices most(depth_, 0);
  for (Index group = 1; group < groups(); group++) {
    const int shared = common(group - 1, group);
    for (int level = 0; level <= shared && level < depth_; level++)
      part[level][group] = part[level][group - 1] + (level == shared ? 1 : 0);
    for (int level = 0; level < depth_; level++) most[level] = std::max(most[level], part[level][group]);
  }
  int bits = 0;
  common_.fill(depth_);
  for (int level = depth_; level-- > 0;) {
    const auto width = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(most[level])));
    if (bits + width > 64) return;
    for (int bit = 0; bit < width; bit++) common_[bits + bit + 1] = level;
    bits += width;
  }
  std::vector<std::uint64_t> path(groups(), 0);
  for (Index group = 0; group < groups(); group++)
    for (int level = 0; level < depth_; level++)
      path[group] = path[group] << std::bit_width(static_cast<std::uint32_t>(most[level])) | part[level][group];
  path_ = std::move(path);
}

Indices Machine::parts(Index first, Index last, int level) const {
  Indices begins;
  for (Index place = first; place < last; place++)
    if (place == first || row(group_[place])[level] != row(group_[place - 1])[level]) begins.push_back(place);
  begins.push_back(last);
  return begins;
}

}  // namespace rankwise::placement
