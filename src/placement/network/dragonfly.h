// Groups of routers that are all linked, and a link between each two groups (Kim, Dally, Scott and Abts 2008).
#ifndef RANKWISE_PLACEMENT_NETWORK_DRAGONFLY_H
#define RANKWISE_PLACEMENT_NETWORK_DRAGONFLY_H

#include "network.h"

namespace rankwise::placement {

class Dragonfly : public Network {
 public:
  explicit Dragonfly(const rankwise_network &network);

  [[nodiscard]] Price between(Index one, Index other) const override;
  [[nodiscard]] std::pair<Indices, Indices> halves(Nodes nodes) const override;

 private:
  [[nodiscard]] Index group(Index router) const { return router / routers_; }
  // The router of a group that has the link to another one.
  [[nodiscard]] Index gate(Index from, Index to) const { return from * routers_ + (to < from ? to : to - 1) / links_; }

  Price hop_;
  Index routers_;  // of a group
  Index links_;    // to other groups, at each router
  Indices router_;
};

}  // namespace rankwise::placement

#endif
