#include "routes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rankwise::placement {

namespace {

constexpr Index kUnknown = -2;
constexpr Index kNoWay = -1;
constexpr double kRounding = 1e-6;

bool are_numbers(const double *values, Index count) {
  return std::all_of(values, values + count, [](double value) { return std::isfinite(value) && value >= 0; });
}

// The link that a router takes to a node, -1: none.
Index next(const rankwise_network &network, Index table, Index router, Index node) {
  const std::size_t row = static_cast<std::size_t>(table) * network.routers + router;
  return network.next[row * network.nodes + node];
}

Index other_end(const rankwise_network &network, Index link, Index router) {
  const Index *ends = network.link_end + 2 * static_cast<std::size_t>(link);
  return ends[0] == router ? ends[1] : ends[0];
}

// Number of links from each router to a node; kNoWay: the router does not lead there.
void find_steps(const rankwise_network &network, Index table, Index node, Indices &steps) {
  steps.assign(network.routers, kUnknown);
  steps[network.router[node]] = 0;
  Indices path;
  for (Index router = 0; router < network.routers; router++) {
    path.clear();
    Index at = router;
    while (steps[at] == kUnknown) {
      steps[at] = kNoWay;  // stays so if the path returns here
      path.push_back(at);
      const Index link = next(network, table, at, node);
      if (link >= 0) at = other_end(network, link, at);
    }
    Index count = steps[at];
    if (count == kNoWay) continue;
    for (std::size_t i = path.size(); i-- > 0;) steps[path[i]] = ++count;
  }
}

bool has_good_links(const rankwise_network &network) {
  if (network.links < 0 || (network.links > 0 && !network.link_end)) return false;
  if (network.links > std::numeric_limits<Index>::max() / 2) return false;
  for (std::size_t link = 0; link < static_cast<std::size_t>(network.links); link++) {
    const Index first = network.link_end[2 * link], second = network.link_end[2 * link + 1];
    if (first == second || std::min(first, second) < 0 || std::max(first, second) >= network.routers) return false;
  }
  return !network.link_byte || are_numbers(network.link_byte, network.links);
}

bool has_good_tables(const rankwise_network &network) {
  if (network.tables < 1 || !network.next) return false;
  if (network.share) {
    if (!are_numbers(network.share, network.tables)) return false;
    if (std::abs(std::accumulate(network.share, network.share + network.tables, 0.0) - 1) > kRounding) return false;
  }
  for (Index table = 0; table < network.tables; table++)
    for (Index router = 0; router < network.routers; router++)
      for (Index node = 0; node < network.nodes; node++) {
        const Index link = next(network, table, router, node);
        if (link < -1 || link >= network.links) return false;
        if (link < 0) continue;
        const Index *ends = network.link_end + 2 * static_cast<std::size_t>(link);
        if (ends[0] != router && ends[1] != router) return false;
      }
  return true;
}

}  // namespace

bool are_routes(const rankwise_network &network) {
  if (network.routers < 1 || !network.router || !has_good_links(network)) return false;
  const Index *routers = network.router;
  if (!std::all_of(routers, routers + network.nodes,
                   [&](Index router) { return router >= 0 && router < network.routers; }))
    return false;
  if (!has_good_tables(network)) return false;
  Indices steps;
  for (Index table = 0; table < network.tables; table++)
    for (Index node = 0; node < network.nodes; node++) {
      find_steps(network, table, node, steps);
      if (std::any_of(routers, routers + network.nodes, [&](Index router) { return steps[router] == kNoWay; }))
        return false;
    }
  return true;
}

Routes::Routes(const rankwise_network &network)
    : Metric(network.nodes),
      network_(network),
      hop_{network.per_byte, network.per_message},
      share_(network.tables, 1.0 / network.tables),
      hops_(static_cast<std::size_t>(network.nodes) * network.routers, 0) {
  if (network.share) share_.assign(network.share, network.share + network.tables);
  Indices steps;
  for (Index table = 0; table < network.tables; table++)
    for (Index node = 0; node < network.nodes; node++) {
      find_steps(network, table, node, steps);
      double *hops = hops_.data() + static_cast<std::size_t>(node) * network.routers;
      for (Index router = 0; router < network.routers; router++) hops[router] += share_[table] * steps[router];
    }
  find_near();
}

void Routes::find_way(Index from, Index to, double share, Way &way) const {
  const Index last = network_.router[to];
  for (Index table = 0; table < network_.tables; table++) {
    if (share_[table] <= 0) continue;
    for (Index at = network_.router[from]; at != last;) {
      const Index link = next(network_, table, at, to);
      way.push_back({2 * link + (end(link, 0) == at ? 0 : 1), share * share_[table]});
      at = other_end(link, at);
    }
  }
}

}  // namespace rankwise::placement
