// Forwarding tables: for each router, the link towards each node.
#ifndef RANKWISE_PLACEMENT_NETWORK_ROUTES_H
#define RANKWISE_PLACEMENT_NETWORK_ROUTES_H

#include "metric.h"

namespace rankwise::placement {

class Routes final : public Metric {
 public:
  // The arrays of `network` must outlive it.
  explicit Routes(const rankwise_network &network);

  // The mean of both directions, which may take different links.
  [[nodiscard]] Price between(Index first, Index second) const override {
    return hops(first, second) / 2 * hop_ + hops(second, first) / 2 * hop_;
  }
  // Link 2 k leads from the first to the second end of the caller's link k, and 2 k + 1 back.
  [[nodiscard]] Index links() const override { return 2 * network_.links; }
  void find_way(Index from, Index to, double share, Way &way) const override;
  [[nodiscard]] std::pair<Index, Index> ends(Index link) const override {
    const Index from = end(link / 2, link % 2);
    return {from, other_end(link / 2, from)};
  }
  [[nodiscard]] double per_link_byte(Index link) const override {
    return network_.link_byte ? network_.link_byte[link / 2] : hop_.byte;
  }

 private:
  [[nodiscard]] Index end(Index link, Index which) const {
    return network_.link_end[2 * static_cast<std::size_t>(link) + which];
  }
  [[nodiscard]] Index other_end(Index link, Index router) const {
    return end(link, 0) == router ? end(link, 1) : end(link, 0);
  }
  // Number of links on the path, averaged over the tables.
  [[nodiscard]] double hops(Index from, Index to) const {
    return hops_[static_cast<std::size_t>(to) * network_.routers + network_.router[from]];
  }

  rankwise_network network_;
  Price hop_;
  std::vector<double> share_;
  std::vector<double> hops_;  // [nodes][routers]: from a router to a node
};

// Whether every node can be reached from every other one, by each table.
bool are_routes(const rankwise_network &network);

}  // namespace rankwise::placement

#endif
