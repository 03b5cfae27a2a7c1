// Groups of routers that are all linked, and a link between each two groups (Kim, Dally, Scott and Abts 2008).
#ifndef RANKWISE_PLACEMENT_NETWORK_DRAGONFLY_H
#define RANKWISE_PLACEMENT_NETWORK_DRAGONFLY_H

#include "network.h"

namespace rankwise::placement {

class Dragonfly final : public Network {
 public:
  explicit Dragonfly(const rankwise_network &network);

  [[nodiscard]] Price between(Index first, Index second) const override;
  [[nodiscard]] std::pair<Indices, Indices> halves(Nodes nodes) const override;
  // First the links between groups, then the links in each group.
  [[nodiscard]] Index links() const override { return groups_ * groups_ + groups_ * routers_ * routers_; }
  void find_way(Index from, Index to, double share, Way &way) const override;
  [[nodiscard]] std::pair<Index, Index> ends(Index link) const override;
  [[nodiscard]] double per_link_byte(Index) const override { return hop_.byte; }

 private:
  // From a router of a group to another one.
  [[nodiscard]] Index inside(Index from, Index to) const { return groups_ * groups_ + from * routers_ + to % routers_; }
  [[nodiscard]] Index group(Index router) const { return router / routers_; }
  // The router of a group that has the link to another one.
  [[nodiscard]] Index gate(Index from, Index to) const { return from * routers_ + (to < from ? to : to - 1) / links_; }

  Price hop_;
  Index groups_;
  Index routers_;  // of a group
  Index links_;    // to other groups, at each router
  Indices router_;
};

}  // namespace rankwise::placement

#endif
