#include "torus.h"

#include <algorithm>
#include <map>

namespace rankwise::placement {

Torus::Torus(const rankwise_network &network)
    : Network(network.nodes),
      hop_{network.per_byte, network.per_message},
      length_(network.length, network.length + network.axes),
      is_ring_(network.axes, 1),
      place_(static_cast<std::size_t>(network.nodes) * network.axes) {
  if (network.is_ring) is_ring_.assign(network.is_ring, network.is_ring + network.axes);
  for (Index node = 0; node < network.nodes; node++) {
    Index router = network.router ? network.router[node] : node;
    for (std::size_t axis = length_.size(); axis-- > 0;) {
      place_[node * length_.size() + axis] = router % length_[axis];
      router /= length_[axis];
    }
  }
  stride_.resize(length_.size());
  for (std::size_t axis = length_.size(); axis-- > 0; routers_ *= length_[axis]) stride_[axis] = routers_;
  find_near(network);
}

void Torus::find_way(Index from, Index to, double share, Way &way) const {
  const auto axes = length_.size();
  Index router = 0;
  for (std::size_t axis = 0; axis < axes; axis++) router += place(from, axis) * stride_[axis];
  for (std::size_t axis = 0; axis < axes; axis++) {
    const Index length = length_[axis], end = place(to, axis);
    Index at = place(from, axis);
    const Index ahead = (end - at + length) % length;
    const bool is_forward = is_ring_[axis] ? 2 * ahead <= length : at <= end;
    for (Index left = hops(at, end, axis); left > 0; left--) {
      const Index next = (at + (is_forward ? 1 : length - 1)) % length;
      const Index begin = router + ((is_forward ? at : next) - at) * stride_[axis];
      const Index forward = 2 * (begin * static_cast<Index>(axes) + static_cast<Index>(axis));
      way.push_back({is_forward ? forward : forward + 1, share});
      router += (next - at) * stride_[axis];
      at = next;
    }
  }
}

std::pair<Index, Index> Torus::ends(Index link) const {
  const auto axes = static_cast<Index>(length_.size());
  const Index router = link / 2 / axes, axis = link / 2 % axes;
  const Index at = router / stride_[axis] % length_[axis];
  const Index next = router + ((at + 1) % length_[axis] - at) * stride_[axis];
  return link % 2 == 0 ? std::pair{router, next} : std::pair{next, router};
}

// Nodes at the same router, and at the next routers along each axis.
void Torus::find_near(const rankwise_network &network) {
  const auto places = [this](Index node) {
    const auto begin = place_.begin() + static_cast<std::ptrdiff_t>(node * length_.size());
    return Indices(begin, begin + static_cast<std::ptrdiff_t>(length_.size()));
  };
  std::map<Indices, Indices> nodes_at;
  for (Index node = 0; node < network.nodes; node++) nodes_at[places(node)].push_back(node);
  const auto add = [&](Index node, const Indices &at) {
    const auto entry = nodes_at.find(at);
    if (entry == nodes_at.end()) return;
    for (const Index other : entry->second)
      if (other != node && near_[node].size() < kNear + 2 * length_.size()) near_[node].push_back(other);
  };
  for (Index node = 0; node < network.nodes; node++) {
    const Indices mine = places(node);
    add(node, mine);
    for (std::size_t axis = 0; axis < length_.size(); axis++) {
      for (const Index step : {Index{1}, length_[axis] - 1}) {
        Indices next = mine;
        next[axis] = (mine[axis] + step) % length_[axis];
        if (hops(mine[axis], next[axis], axis) == 1 && (step == 1 || length_[axis] > 2)) add(node, next);
      }
    }
  }
}

Price Torus::between(Index first, Index second) const {
  Index sum = 0;
  for (std::size_t axis = 0; axis < length_.size(); axis++) sum += hops(place(first, axis), place(second, axis), axis);
  return sum * hop_;
}

Indices Torus::extent(Nodes nodes) const {
  const std::size_t axes = length_.size();
  Indices bounds;
  for (std::size_t axis = 0; axis < axes; axis++) bounds.insert(bounds.end(), 2, place(nodes[0], axis));
  for (const Index node : nodes) {
    for (std::size_t axis = 0; axis < axes; axis++) {
      bounds[2 * axis] = std::min(bounds[2 * axis], place(node, axis));
      bounds[2 * axis + 1] = std::max(bounds[2 * axis + 1], place(node, axis));
    }
  }
  return bounds;
}

// Across the longest axis, in its middle.
std::pair<Indices, Indices> Torus::halves(Nodes nodes) const {
  const Indices box = extent(nodes);
  std::size_t longest = 0;
  const auto length = [&](std::size_t axis) { return box[2 * axis + 1] - box[2 * axis] + 1; };
  for (std::size_t axis = 1; axis < length_.size(); axis++)
    if (length(axis) > length(longest)) longest = axis;
  if (length(longest) == 1) return {{nodes.begin(), nodes.begin() + 1}, {nodes.begin() + 1, nodes.end()}};
  const Index middle = box[2 * longest] + length(longest) / 2;
  std::pair<Indices, Indices> parts;
  for (const Index node : nodes) (place(node, longest) < middle ? parts.first : parts.second).push_back(node);
  return parts;
}

// Between the bounding boxes.
Price Torus::mean(const Indices &some, const Indices &others) const {
  double sum = 0;
  for (std::size_t axis = 0; axis < length_.size(); axis++) {
    const Index first = some[2 * axis], last = some[2 * axis + 1];
    const Index other_first = others[2 * axis], other_last = others[2 * axis + 1];
    std::int64_t ways = 0;
    for (Index from = first; from <= last; from++)
      for (Index to = other_first; to <= other_last; to++) ways += hops(from, to, axis);
    sum += static_cast<double>(ways) / (static_cast<double>(last - first + 1) * (other_last - other_first + 1));
  }
  return sum * hop_;
}

}  // namespace rankwise::placement
