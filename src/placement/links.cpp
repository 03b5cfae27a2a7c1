#include "links.h"

#include <map>
#include <utility>

namespace rankwise::placement {

Links::Links(const rankwise_slots &slots, const Network *network) : network_(network), depth_(slots.depth) {
  const auto depth = static_cast<std::size_t>(depth_);
  chain_.assign(slots.slots * depth, -1);
  if (network)
    for (Index slot = 0; slot < slots.slots; slot++) node_.push_back(slots.object[slot * depth + slots.network->level]);
  if (slots.per_link_byte || !network) {
    // Objects are the same if their numbers are, and those of all around them.
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
        const auto [found, is_new] = known.try_emplace({around, slots.object[at]}, static_cast<Index>(level_.size()));
        around = chain_[at] = found->second;
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

void Links::find_way(Index slot, Index other, double sent, Way &way) const {
  way.clear();
  const Index *one = chain(slot), *two = chain(other);
  for (Index level = 0; level < depth_; level++) {
    if (one[level] == two[level]) continue;
    for (const Index link : {one[level], two[level]})
      if (per_byte_[link] > 0) way.push_back({link, 1});
  }
  if (!network_) return;
  const std::size_t first = way.size();
  if (sent > 0) network_->find_way(node_[slot], node_[other], sent, way);
  if (sent < 1) network_->find_way(node_[other], node_[slot], 1 - sent, way);
  for (std::size_t at = first; at < way.size(); at++) way[at].link += static_cast<Index>(level_.size());
}

rankwise_link Links::named(Index link) const {
  if (link < 0) return {0, -1, -1, -1};
  const auto objects = static_cast<Index>(level_.size());
  if (link < objects) return {0, level_[link], slot_[link], -1};
  const auto [one, other] = network_->ends(link - objects);
  return {0, -1, one, other};
}

}  // namespace rankwise::placement
