// The links of a machine, and the links that a message takes.
#ifndef RANKWISE_PLACEMENT_LINKS_H
#define RANKWISE_PLACEMENT_LINKS_H

#include "network/network.h"
#include "rankwise/placement.h"

namespace rankwise::placement {

class Links {
 public:
  // The network must outlive it.
  Links(const rankwise_slots &slots, const Network *network);

  // Call if steps are requested repeatedly: makes that fast, unless the paths would need too much memory.
  void keep_ways();
  [[nodiscard]] Index count() const { return static_cast<Index>(per_byte_.size()); }
  // The cost of a byte on a link.
  [[nodiscard]] double per_byte(Index link) const { return per_byte_[link]; }
  // Calls back for each step between two slots: link, and the share of their bytes on it. `sent` is the share that goes
  // from the first to the second slot. All bytes take the links of objects. In the network, each direction takes
  // separate links. A link may occur twice.
  template <typename Tell>
  void each_step(Index slot, Index other, double sent, const Tell &tell) const {
    const Index *first = chain(slot), *second = chain(other);
    for (Index level = 0; level < depth_; level++) {
      if (first[level] == second[level]) continue;
      for (const Index link : {first[level], second[level]})
        if (per_byte_[link] > 0) tell(link, 1.0);
    }
    if (!network_) return;
    if (sent > 0) each_step_between(node_[slot], node_[other], sent, tell);
    if (sent < 1) each_step_between(node_[other], node_[slot], 1 - sent, tell);
  }
  // The caller's description of a link, without its load.
  [[nodiscard]] rankwise_link named(Index link) const;

 private:
  [[nodiscard]] const Index *chain(Index slot) const { return chain_.data() + static_cast<std::size_t>(slot) * depth_; }

  template <typename Tell>
  void each_step_between(Index from, Index to, double share, const Tell &tell) const {
    const auto objects = static_cast<Index>(level_.size());
    if (way_begin_.empty()) {
      Way way;
      network_->find_way(from, to, share, way);
      for (const Step &step : way) tell(step.link + objects, step.share);
      return;
    }
    const std::size_t pair = static_cast<std::size_t>(from) * nodes_ + to;
    for (std::size_t at = way_begin_[pair]; at < way_begin_[pair + 1]; at++)
      tell(steps_[at].link + objects, share * steps_[at].share);
  }

  const Network *network_;
  Index depth_;           // levels of objects
  Indices chain_;         // [slots][depth]: the links of a slot's objects, from the outermost; -1: none
  Indices node_;          // of each slot, in the network
  Indices level_, slot_;  // of links of objects
  std::vector<double> per_byte_;
  Index nodes_ = 0;
  std::vector<std::size_t> way_begin_;  // [nodes][nodes] and one: where the steps between two nodes are in steps_
  Way steps_;                           // empty if they would be too many
};

}  // namespace rankwise::placement

#endif
