// Rings, or lines, along each axis.
#ifndef RANKWISE_PLACEMENT_NETWORK_TORUS_H
#define RANKWISE_PLACEMENT_NETWORK_TORUS_H

#include "network.h"

namespace rankwise::placement {

class Torus final : public Network {
 public:
  explicit Torus(const rankwise_network &network);

  [[nodiscard]] Price between(Index first, Index second) const override;
  [[nodiscard]] std::pair<Indices, Indices> halves(Nodes nodes) const override;
  // First and last of them along each axis.
  [[nodiscard]] Indices extent(Nodes nodes) const override;
  [[nodiscard]] Price mean(const Indices &some, const Indices &others) const override;
  [[nodiscard]] std::span<const Index> lengths() const override { return length_; }
  [[nodiscard]] std::span<const Index> coordinates(Index node) const override {
    return {place_.data() + static_cast<std::size_t>(node) * length_.size(), length_.size()};
  }
  // Link 2 (router x axes + axis) leads to the next router along the axis, and the following link leads back. The first
  // axis comes first; if both directions are equally long, the forward direction is taken.
  [[nodiscard]] Index links() const override { return 2 * routers_ * static_cast<Index>(length_.size()); }
  void find_way(Index from, Index to, double share, Way &way) const override;
  [[nodiscard]] std::pair<Index, Index> ends(Index link) const override;
  [[nodiscard]] double per_link_byte(Index) const override { return hop_.byte; }

 private:
  [[nodiscard]] Index place(Index node, std::size_t axis) const {
    return place_[static_cast<std::size_t>(node) * length_.size() + axis];
  }
  [[nodiscard]] Index hops(Index from, Index to, std::size_t axis) const {
    const Index way = from < to ? to - from : from - to;
    return is_ring_[axis] && length_[axis] - way < way ? length_[axis] - way : way;
  }
  void find_near(const rankwise_network &network);

  Price hop_;
  Indices length_;
  std::vector<std::uint8_t> is_ring_;
  Indices stride_;  // from a router to the next one along an axis
  Index routers_ = 1;
  Indices place_;  // of each node on each axis
};

}  // namespace rankwise::placement

#endif
