// The links of a machine, and which of them a message takes.
#ifndef RANKWISE_PLACEMENT_LINKS_H
#define RANKWISE_PLACEMENT_LINKS_H

#include "network/network.h"
#include "rankwise/placement.h"

namespace rankwise::placement {

class Links {
 public:
  // The network must live as long.
  Links(const rankwise_slots &slots, const Network *network);

  [[nodiscard]] Index count() const { return static_cast<Index>(per_byte_.size()); }
  // What a byte costs on a link.
  [[nodiscard]] double per_byte(Index link) const { return per_byte_[link]; }
  // Between two slots, if `sent` is the share of the bytes that goes from the first to the second one. All bytes take
  // the links of objects. In the network, those there and those back take links of their own.
  void find_way(Index slot, Index other, double sent, Way &way) const;
  // What the caller calls a link, without its load.
  [[nodiscard]] rankwise_link named(Index link) const;

 private:
  [[nodiscard]] const Index *chain(Index slot) const { return chain_.data() + static_cast<std::size_t>(slot) * depth_; }

  const Network *network_;
  Index depth_;           // levels of objects
  Indices chain_;         // [slots][depth]: the links of a slot's objects, from the outermost; -1: none
  Indices node_;          // of each slot, in the network
  Indices level_, slot_;  // of links of objects
  std::vector<double> per_byte_;
};

}  // namespace rankwise::placement

#endif
