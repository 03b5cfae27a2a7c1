// How strongly each vertex is connected with each part of a divided graph.
#ifndef RANKWISE_PLACEMENT_CONTACTS_H
#define RANKWISE_PLACEMENT_CONTACTS_H

#include <span>

#include "graph.h"

namespace rankwise::placement {

// A part with at least one neighbour of a vertex.
struct Contact {
  Index part;
  Index edges;
  double weight;  // of these edges
};

// Kept up to date, so that refinement need not visit all edges of a vertex to learn what it would gain in another part.
class Contacts {
 public:
  // `parts`: the number of parts.
  Contacts(const Graph &graph, const Indices &part, Index parts);

  [[nodiscard]] std::span<const Contact> of(Index v) const { return {contacts_.data() + begin_[v], count_[v]}; }
  // A vertex has gone from one part to another.
  void move(Index v, Index from, Index to);

 private:
  void add(Index v, Index part, double weight);
  void remove(Index v, Index part, double weight);

  const Graph &graph_;
  std::vector<std::size_t> begin_;  // of each vertex: it has as many contacts as edges at most, and as parts
  std::vector<std::uint32_t> count_;
  std::vector<Contact> contacts_;
};

}  // namespace rankwise::placement

#endif
