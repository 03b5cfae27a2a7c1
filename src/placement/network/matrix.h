// Measured costs between nodes.
#ifndef RANKWISE_PLACEMENT_NETWORK_MATRIX_H
#define RANKWISE_PLACEMENT_NETWORK_MATRIX_H

#include "metric.h"

namespace rankwise::placement {

class Matrix final : public Metric {
 public:
  explicit Matrix(const rankwise_network &network);

  [[nodiscard]] Price between(Index first, Index second) const override {
    return price_[static_cast<std::size_t>(first) * near_.size() + second];
  }

 private:
  std::vector<Price> price_;
};

}  // namespace rankwise::placement

#endif
