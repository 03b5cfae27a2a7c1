#include "graph.h"

#include <algorithm>
#include <numeric>

namespace rankwise::placement {

Index Graph::rank_count() const { return std::accumulate(ranks.begin(), ranks.end(), Index{0}); }

Index Graph::largest() const { return ranks.empty() ? 1 : *std::max_element(ranks.begin(), ranks.end()); }

std::vector<Part> parts_of(const Traffic &traffic, std::span<const Index> ranks, std::span<const Index> part,
                           Index count) {
  const Index size = traffic.rows.size();
  std::vector<Part> parts(count);
  Indices local(size);
  for (Index v = 0; v < size; v++) {
    Indices &members = parts[part[v]].ranks;
    local[v] = static_cast<Index>(members.size());
    members.push_back(ranks[v]);
  }
  for (Index v = 0; v < size; v++) {
    const Index mine = part[v];
    Traffic &inside = parts[mine].traffic;
    for (std::size_t i = traffic.rows.first(v); i < traffic.rows.last(v); i++) {
      const auto other = traffic.rows.adjacent[i];
      if (part[other] != mine) continue;
      inside.rows.adjacent.push_back(local[other]);
      inside.bytes.push_back(traffic.bytes[i]);
      if (!traffic.messages.empty()) inside.messages.push_back(traffic.messages[i]);
    }
    inside.rows.begin.push_back(inside.rows.adjacent.size());
  }
  return parts;
}

Graph weighed(const Traffic &traffic, double per_byte, double per_message) {
  Graph graph{traffic.rows, {}, Indices(traffic.rows.size(), 1)};
  graph.weight.reserve(traffic.bytes.size());
  for (std::size_t i = 0; i < traffic.bytes.size(); i++)
    graph.weight.push_back(traffic.bytes[i] * per_byte +
                           (traffic.messages.empty() ? 0 : traffic.messages[i] * per_message));
  return graph;
}

Side side_of(const Graph &graph, std::span<const std::uint8_t> sides, std::uint8_t side) {
  Side part;
  Indices local(graph.size(), -1);
  for (Index v = 0; v < graph.size(); v++) {
    if (sides[v] != side) continue;
    local[v] = static_cast<Index>(part.vertices.size());
    part.vertices.push_back(v);
    part.graph.ranks.push_back(graph.ranks[v]);
  }
  for (const Index v : part.vertices) {
    for (std::size_t i = graph.rows.first(v); i < graph.rows.last(v); i++) {
      const Index other = local[graph.rows.adjacent[i]];
      if (other < 0) continue;
      part.graph.rows.adjacent.push_back(other);
      part.graph.weight.push_back(graph.weight[i]);
    }
    part.graph.rows.begin.push_back(part.graph.rows.adjacent.size());
  }
  return part;
}

}  // namespace rankwise::placement
