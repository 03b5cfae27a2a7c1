#include "matrix.h"

namespace rankwise::placement {

Matrix::Matrix(const rankwise_network &network) : Metric(network.nodes) {
  const auto nodes = static_cast<std::size_t>(network.nodes);
  price_.assign(nodes * nodes, {0, 0});
  const auto both = [nodes](const double *values, std::size_t first, std::size_t second) {
    return values ? values[first * nodes + second] / 2 + values[second * nodes + first] / 2 : 0;
  };
  for (std::size_t first = 0; first < nodes; first++)
    for (std::size_t second = 0; second < nodes; second++)
      if (first != second)
        price_[first * nodes + second] = {both(network.byte_between, first, second),
                                          both(network.message_between, first, second)};
  find_near();
}

}  // namespace rankwise::placement
