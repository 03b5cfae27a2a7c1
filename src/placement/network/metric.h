// A network about which only the cost of messages between any two nodes is known.
#ifndef RANKWISE_PLACEMENT_NETWORK_METRIC_H
#define RANKWISE_PLACEMENT_NETWORK_METRIC_H

#include "network.h"

namespace rankwise::placement {

class Metric : public Network {
 public:
  using Network::Network;

  [[nodiscard]] std::pair<Indices, Indices> halves(Nodes nodes) const override;

 protected:
  // Call as soon as the costs are known.
  void find_near();

 private:
  [[nodiscard]] Index farthest(Nodes nodes, Index from) const;
};

}  // namespace rankwise::placement

#endif
