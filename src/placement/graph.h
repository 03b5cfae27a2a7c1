// Graphs in compressed rows: the traffic between ranks, and the cost of separating them.
#ifndef RANKWISE_PLACEMENT_GRAPH_H
#define RANKWISE_PLACEMENT_GRAPH_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rankwise::placement {

using Index = std::int32_t;
using Indices = std::vector<Index>;

// The edges: row v is adjacent[begin[v]] ... adjacent[begin[v + 1] - 1]. Each edge is in two rows.
struct Rows {
  std::vector<std::size_t> begin{0};
  Indices adjacent;

  [[nodiscard]] Index size() const { return static_cast<Index>(begin.size()) - 1; }
  [[nodiscard]] std::size_t first(Index v) const { return begin[v]; }
  [[nodiscard]] std::size_t last(Index v) const { return begin[v + 1]; }
};

// The traffic between ranks, in both directions together.
struct Traffic {
  Rows rows;
  std::vector<double> bytes;
  std::vector<double> messages;   // empty if they cost nothing
  std::vector<double> sent = {};  // the bytes sent by the row's rank; empty if not needed
};

// The cost of separating vertices, and how many ranks a vertex represents.
struct Graph {
  Rows rows;
  std::vector<double> weight;  // of each entry of rows.adjacent
  Indices ranks;               // of each vertex
  // Additional cost of a vertex on side 1 over side 0, by itself; empty: none.
  std::vector<double> pull = {};

  [[nodiscard]] Index size() const { return rows.size(); }
  [[nodiscard]] double pull_of(Index v) const { return pull.empty() ? 0 : pull[v]; }
  [[nodiscard]] Index rank_count() const;
  [[nodiscard]] Index largest() const;  // number of ranks of a vertex
};

// Only the traffic among the members of each part. Vertices of a part keep their order.
struct Part {
  Traffic traffic;
  Indices ranks;  // the previous name of each vertex
};
std::vector<Part> parts_of(const Traffic &traffic, std::span<const Index> ranks, std::span<const Index> part,
                           Index count);

// The graph of a traffic, given the costs of a byte and of a message.
Graph weighed(const Traffic &traffic, double per_byte, double per_message);

// The members of a side.
struct Side {
  Graph graph;
  Indices vertices;  // their previous names
};
Side side_of(const Graph &graph, std::span<const std::uint8_t> sides, std::uint8_t side);

}  // namespace rankwise::placement

#endif
