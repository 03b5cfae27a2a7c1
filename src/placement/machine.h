// The engine's view of the machine: slots in order of the tree, and the cost of a message between two of them.
#ifndef RANKWISE_PLACEMENT_MACHINE_H
#define RANKWISE_PLACEMENT_MACHINE_H

#include <array>
#include <bit>

#include "graph.h"
#include "network/network.h"
#include "price.h"
#include "rankwise/placement.h"

namespace rankwise::placement {

class Machine {
 public:
  // With a network, the outermost objects are its nodes. The network must outlive the machine.
  explicit Machine(const rankwise_slots &slots, const Network *network = nullptr);

  [[nodiscard]] Index slots() const { return static_cast<Index>(order_.size()); }
  // Levels at which the price changes: others make no difference.
  [[nodiscard]] int depth() const { return depth_; }
  // Null: the tree describes the whole machine.
  [[nodiscard]] const Network *network() const { return network_; }
  // Of the network, that a group is in.
  [[nodiscard]] Index node(Index group) const { return node_[group]; }
  // The cost of a message between two groups.
  [[nodiscard]] Price between(Index first, Index second) const {
    const int level = common(first, second);
    if (level > 0 || !network_) return prices_[level];
    if (!known_.empty()) return known_[static_cast<std::size_t>(first) * groups() + second];
    return computed(first, second);
  }
  // Between slots with this many objects in common, without the cost of a network.
  [[nodiscard]] const Price &price(int common) const { return prices_[common]; }
  // The caller's number of the slot at a place.
  [[nodiscard]] Index slot(Index place) const { return order_[place]; }
  // Groups of slots that have all objects in common: number of the group of a place, and their number.
  [[nodiscard]] Index group(Index place) const { return group_[place]; }
  [[nodiscard]] Index groups() const { return static_cast<Index>(first_.size()) - 1; }
  // The places of a group: first ... first of the next - 1.
  [[nodiscard]] Index first(Index group) const { return first_[group]; }
  // Objects that two groups have in common.
  [[nodiscard]] int common(Index first, Index second) const {
    if (!path_.empty()) return common_[std::bit_width(path_[first] ^ path_[second])];
    const Index *a = row(first), *b = row(second);
    int level = 0;
    while (level < depth_ && a[level] == b[level]) level++;
    return level;
  }
  // Where the objects of a level begin among the places first ... last - 1, which share all enclosing objects; `last`
  // is appended.
  [[nodiscard]] Indices parts(Index first, Index last, int level) const;

 private:
  void find_paths();

  // Objects of a group, from the outermost, numbered so that equal numbers mean the same object.
  [[nodiscard]] const Index *row(Index group) const {
    return object_.data() + static_cast<std::size_t>(group) * depth_;
  }

  // Between groups of different nodes of the network.
  [[nodiscard]] Price computed(Index first, Index second) const {
    return prices_[0] + network_->between(node_[first], node_[second]);
  }

  const Network *network_;
  int depth_ = 0;
  std::vector<Price> prices_;
  Indices order_;
  Indices group_;
  Indices first_;
  Indices node_;
  Indices object_;
  // The way down the tree to each group: in which part of each object it is, the outermost in the highest bits; and the
  // common objects of two paths by the highest bit that differs. Empty if the parts are too many for 64 bits.
  std::vector<std::uint64_t> path_;
  std::array<int, 65> common_{};
  std::vector<Price> known_;  // between each two groups in a network, if there are not too many
};

}  // namespace rankwise::placement

#endif
