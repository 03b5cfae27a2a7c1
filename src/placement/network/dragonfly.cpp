#include "dragonfly.h"

#include <algorithm>
#include <numeric>

namespace rankwise::placement {

Dragonfly::Dragonfly(const rankwise_network &network)
    : Network(network.nodes),
      hop_{network.per_byte, network.per_message},
      groups_(network.groups),
      routers_(network.routers),
      links_(std::max(1, (network.groups - 2 + network.routers) / network.routers)) {
  for (Index node = 0; node < network.nodes; node++)
    router_.push_back(network.router ? network.router[node] : node / network.at_router);
  // The nearest are at the same router or in the same group; in the order of routers, they are next to each other.
  Indices order(network.nodes);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [this](Index a, Index b) { return router_[a] < router_[b]; });
  for (std::size_t i = 0; i < order.size(); i++) {
    const std::size_t first = i < kNear ? 0 : i - kNear, last = std::min(order.size(), i + kNear + 1);
    Indices &near = near_[order[i]];
    for (std::size_t second = first; second < last; second++)
      if (second != i && group(router_[order[second]]) == group(router_[order[i]])) near.push_back(order[second]);
  }
}

Price Dragonfly::between(Index first, Index second) const {
  if (first == second) return {0, 0};
  const Index from = router_[first], to = router_[second];
  if (from == to) return hop_;
  const Index mine = group(from), theirs = group(to);
  if (mine == theirs) return 2 * hop_;
  return (2 + (from != gate(mine, theirs)) + (to != gate(theirs, mine))) * hop_;
}

void Dragonfly::find_way(Index from, Index to, double share, Way &way) const {
  const Index first = router_[from], second = router_[to];
  const Index mine = group(first), theirs = group(second);
  if (mine == theirs) {
    if (first != second) way.push_back({inside(first, second), share});
    return;
  }
  const Index out = gate(mine, theirs), in = gate(theirs, mine);
  if (first != out) way.push_back({inside(first, out), share});
  way.push_back({mine * groups_ + theirs, share});
  if (second != in) way.push_back({inside(in, second), share});
}

std::pair<Index, Index> Dragonfly::ends(Index link) const {
  if (link < groups_ * groups_) {
    const Index first = link / groups_, second = link % groups_;
    return {gate(first, second), gate(second, first)};
  }
  const Index in_groups = link - groups_ * groups_, first = in_groups / routers_;
  return {first, group(first) * routers_ + in_groups % routers_};
}

// Between groups if there are several, or else between routers.
std::pair<Indices, Indices> Dragonfly::halves(Nodes nodes) const {
  Indices order(nodes.begin(), nodes.end());
  std::stable_sort(order.begin(), order.end(), [this](Index a, Index b) { return router_[a] < router_[b]; });
  const Index first = router_[order.front()], last = router_[order.back()];
  const auto part = [&](Index node) {
    if (group(first) != group(last)) return group(router_[node]);
    return first != last ? router_[node] : node;
  };
  const std::size_t half = order.size() / 2;
  std::size_t below = half, above = half;
  while (below > 0 && part(order[below - 1]) == part(order[below])) below--;
  while (above < order.size() && part(order[above - 1]) == part(order[above])) above++;
  const std::size_t cut = below > 0 && (half - below <= above - half || above == order.size()) ? below : above;
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(cut);
  return {{order.begin(), middle}, {middle, order.end()}};
}

}  // namespace rankwise::placement
