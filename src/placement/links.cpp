#include "links.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rankwise::placement {

namespace {

constexpr std::size_t kMostSteps = 1 << 24;  // entries that are kept, about 256 MiB
constexpr std::size_t kSample = 256;         // paths sampled for the mean length
constexpr std::size_t kStride = 2654435761;  // from one to the next, all over the pairs

}  // namespace

Links::Links(const rankwise_slots &slots, const Network *network) : network_(network), depth_(slots.depth) {
  const auto depth = static_cast<std::size_t>(depth_);
  chain_.assign(slots.slots * depth, -1);
  if (network)
    for (Index slot = 0; slot < slots.slots; slot++) node_.push_back(slots.object[slot * depth + slots.network->level]);
  if (slots.per_link_byte || !network) {
    // Objects are the same if their numbers are equal, and the numbers of all enclosing objects.
    std::map<std::pair<Index, Index>, Index> known;
    for (Index slot = 0; slot < slots.slots; slot++) {
      Index around = -1;
      for (Index level = 0; level < depth_; level++) {
        const std::size_t at = slot * depth + level;
        if (slot > 0 && slots.object[at] == slots.object[at - depth] &&
            (level == 0 || around == chain_[at - depth - 1])) {  // as the slot before
          around = chain_[at] = chain_[at - depth];
          continue;
        }
        const auto [entry, is_new] = known.try_emplace({around, slots.object[at]}, static_cast<Index>(level_.size()));
        around = chain_[at] = entry->second;
        if (!is_new) continue;
        level_.push_back(level);
        slot_.push_back(slot);
        per_byte_.push_back(slots.per_link_byte ? slots.per_link_byte[at] : 1);
      }
    }
  }
  if (network)
    for (Index link = 0; link < network->links(); link++) per_byte_.push_back(network->per_link_byte(link));
}

void Links::keep_ways() {
  if (!network_ || network_->links() == 0) return;
  nodes_ = 1 + *std::max_element(node_.begin(), node_.end());
  const auto pairs = static_cast<std::size_t>(nodes_) * nodes_;
  if (pairs > kMostSteps) return;
  Way sample;
  for (std::size_t i = 0; i < kSample; i++) {
    const std::size_t pair = i * kStride % pairs;
    network_->find_way(static_cast<Index>(pair / nodes_), static_cast<Index>(pair % nodes_), 1, sample);
  }
  if (sample.size() * (pairs / kSample + 1) > kMostSteps) return;
  way_begin_.reserve(pairs + 1);
  way_begin_.push_back(0);
  for (Index from = 0; from < nodes_; from++)
    for (Index to = 0; to < nodes_; to++) {
      network_->find_way(from, to, 1, steps_);
      way_begin_.push_back(steps_.size());
    }
}

rankwise_link Links::named(Index link) const {
  if (link < 0) return {0, -1, -1, -1};
  const auto objects = static_cast<Index>(level_.size());
  if (link < objects) return {0, level_[link], slot_[link], -1};
  const auto [from, to] = network_->ends(link - objects);
  return {0, -1, from, to};
}

}  // namespace rankwise::placement
