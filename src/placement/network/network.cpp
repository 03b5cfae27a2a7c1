#include "network.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dragonfly.h"
#include "matrix.h"
#include "routes.h"
#include "torus.h"

namespace rankwise::placement {

namespace {

constexpr std::size_t kSample = 16;  // nodes of each part

bool is_number(double value) { return std::isfinite(value) && value >= 0; }

// The number of routers; 0 if it is invalid.
std::int64_t routers_of(const rankwise_network &network) {
  constexpr std::int64_t most = std::numeric_limits<Index>::max();
  std::int64_t routers = 1;
  if (network.kind == RANKWISE_DRAGONFLY) {
    if (network.groups < 1 || network.routers < 1 || network.at_router < 1) return 0;
    routers = static_cast<std::int64_t>(network.groups) * network.routers;
    return routers <= most ? routers : 0;
  }
  if (network.axes < 1 || !network.length) return 0;
  for (std::int32_t axis = 0; axis < network.axes; axis++) {
    if (network.length[axis] < 1) return 0;
    routers *= network.length[axis];
    if (routers > most) return 0;
  }
  return routers;
}

bool has_good_routers(const rankwise_network &network) {
  const std::int64_t routers = routers_of(network);
  const std::int64_t links =
      network.kind == RANKWISE_DRAGONFLY
          ? static_cast<std::int64_t>(network.groups) * network.groups + routers * network.routers
          : 2 * routers * network.axes;
  if (routers == 0 || links > std::numeric_limits<Index>::max()) return false;
  if (network.router)
    return std::all_of(network.router, network.router + network.nodes,
                       [routers](Index router) { return router >= 0 && router < routers; });
  return network.nodes <= routers * (network.kind == RANKWISE_DRAGONFLY ? network.at_router : 1);
}

}  // namespace

bool is_network(const rankwise_network &network) {
  if (network.nodes < 1 || network.level < 0) return false;
  if (network.kind == RANKWISE_MATRIX) {
    const std::size_t size = static_cast<std::size_t>(network.nodes) * network.nodes;
    return network.byte_between && std::all_of(network.byte_between, network.byte_between + size, is_number) &&
           (!network.message_between ||
            std::all_of(network.message_between, network.message_between + size, is_number));
  }
  if (network.kind == RANKWISE_ROUTES)
    return is_number(network.per_byte) && is_number(network.per_message) && are_routes(network);
  return (network.kind == RANKWISE_TORUS || network.kind == RANKWISE_DRAGONFLY) && is_number(network.per_byte) &&
         is_number(network.per_message) && has_good_routers(network);
}

std::unique_ptr<const Network> network_of(const rankwise_network &network) {
  if (network.kind == RANKWISE_TORUS) return std::make_unique<Torus>(network);
  if (network.kind == RANKWISE_DRAGONFLY) return std::make_unique<Dragonfly>(network);
  if (network.kind == RANKWISE_ROUTES) return std::make_unique<Routes>(network);
  return std::make_unique<Matrix>(network);
}

// A sample of them.
Indices Network::extent(Nodes nodes) const {
  const std::size_t step = nodes.size() / kSample + 1;
  Indices sample;
  for (std::size_t i = step / 2; i < nodes.size(); i += step) sample.push_back(nodes[i]);
  return sample;
}

Price Network::mean(const Indices &some, const Indices &others) const {
  Price sum{0, 0};
  for (const Index first : some)
    for (const Index second : others) sum = sum + between(first, second);
  return 1 / (static_cast<double>(some.size()) * static_cast<double>(others.size())) * sum;
}

}  // namespace rankwise::placement
