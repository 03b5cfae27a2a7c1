// Whatever was measured between nodes.
#ifndef RANKWISE_PLACEMENT_NETWORK_MATRIX_H
#define RANKWISE_PLACEMENT_NETWORK_MATRIX_H

#include "network.h"

namespace rankwise::placement {

class Matrix final : public Network {
 public:
  explicit Matrix(const rankwise_network &network);

  [[nodiscard]] Price between(Index one, Index other) const override {
    return price_[static_cast<std::size_t>(one) * near_.size() + other];
  }
  [[nodiscard]] std::pair<Indices, Indices> halves(Nodes nodes) const override;

 private:
  [[nodiscard]] Index farthest(Nodes nodes, Index from) const;

  std::vector<Price> price_;
};

}  // namespace rankwise::placement

#endif
