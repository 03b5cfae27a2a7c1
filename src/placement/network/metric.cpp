#include "metric.h"

#include <algorithm>
#include <numeric>

namespace rankwise::placement {

namespace {

double length(Price price) { return price.byte; }

bool is_nearer(Price a, Price b) { return a.byte != b.byte ? a.byte < b.byte : a.message < b.message; }

}  // namespace

void Metric::find_near() {
  const std::size_t nodes = near_.size();
  for (Index node = 0; node < static_cast<Index>(nodes); node++) {
    Indices others(nodes);
    std::iota(others.begin(), others.end(), 0);
    others.erase(others.begin() + node);
    const auto count = static_cast<std::ptrdiff_t>(std::min(others.size(), kNear));
    std::partial_sort(others.begin(), others.begin() + count, others.end(), [&](Index a, Index b) {
      const Price price_a = between(node, a), price_b = between(node, b);
      return price_a == price_b ? a < b : is_nearer(price_a, price_b);
    });
    others.resize(count);
    near_[node] = std::move(others);
  }
}

Index Metric::farthest(Nodes nodes, Index from) const {
  return *std::max_element(nodes.begin(), nodes.end(),
                           [&](Index a, Index b) { return is_nearer(between(from, a), between(from, b)); });
}

// Splits the nodes between two distant ones, each to the nearer one, at the largest gap of the difference.
std::pair<Indices, Indices> Metric::halves(Nodes nodes) const {
  const Index first = farthest(nodes, nodes[0]), second = farthest(nodes, first);
  const auto lean = [&](Index node) { return length(between(node, first)) - length(between(node, second)); };
  Indices order(nodes.begin(), nodes.end());
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return lean(a) < lean(b); });
  std::size_t cut = order.size() / 2;
  double best = 0;
  for (std::size_t i = 1; i < order.size(); i++) {
    const double jump = (lean(order[i]) - lean(order[i - 1])) * static_cast<double>(std::min(i, order.size() - i));
    if (jump > best) {
      best = jump;
      cut = i;
    }
  }
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(cut);
  return {{order.begin(), middle}, {middle, order.end()}};
}

}  // namespace rankwise::placement
