#include "matrix.h"

namespace rankwise::placement {

Matrix::Matrix(const rankwise_network &network) : Metric(network.nodes) {
  const auto nodes = static_cast<std::size_t>(network.nodes);
  price_.assign(nodes * nodes, {0, 0});
  const auto both = [nodes](const double *values, std::size_t one, std::size_t other) {
    return values ? values[one * nodes + other] / 2 + values[other * nodes + one] / 2 : 0;
  };
  for (std::size_t one = 0; one < nodes; one++)
    for (std::size_t other = 0; other < nodes; other++)
      if (one != other)
        price_[one * nodes + other] = {both(network.byte_between, one, other),
                                       both(network.message_between, one, other)};
  find_near();
}

}  // namespace rankwise::placement
