#include "parts.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace rankwise::placement {

Parts::Parts(const rankwise_slots &slots, int fixed)
    : order_(slots.slots),
      object_(static_cast<std::size_t>(slots.depth) + 2, Indices(slots.slots)),
      parent_(object_.size()),
      class_(object_.size()) {
  number(slots);
  classify(fixed);
}

void Parts::number(const rankwise_slots &slots) {
  const auto row = [&](Index slot) { return slots.object + static_cast<std::ptrdiff_t>(slot) * slots.depth; };
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](Index first, Index second) {
    return std::lexicographical_compare(row(first), row(first) + slots.depth, row(second), row(second) + slots.depth);
  });
  const Index *before = nullptr;
  for (const Index slot : order_) {
    const Index *here = row(slot);
    const auto common = before ? std::mismatch(here, here + slots.depth, before).first - here : -1;
    for (int level = 0; level <= last(); level++) {
      if (level > common || level == last()) parent_[level].push_back(level > 0 ? count(level - 1) - 1 : 0);
      object_[level][slot] = count(level) - 1;
    }
    before = here;
  }
}

void Parts::classify(int fixed) {
  class_.back().assign(parent_.back().size(), 0);
  for (int level = last() - 1; level >= 0; level--) {
    if (level > fixed) {
      classify_level(level);
    } else {
      class_[level].resize(parent_[level].size());
      std::iota(class_[level].begin(), class_[level].end(), 0);
    }
  }
}

void Parts::classify_level(int level) {
  std::map<Indices, Index> known;
  for (Index object = 0; object < count(level); object++) {
    Indices inside(class_[level + 1].begin() + first_child(level, object),
                   class_[level + 1].begin() + first_child(level, object + 1));
    std::sort(inside.begin(), inside.end());
    class_[level].push_back(known.emplace(std::move(inside), static_cast<Index>(known.size())).first->second);
  }
}

Index Parts::first_child(int level, Index object) const {
  const Indices &parents = parent_[level + 1];
  return static_cast<Index>(std::lower_bound(parents.begin(), parents.end(), object) - parents.begin());
}

}  // namespace rankwise::placement
