// Moves vertices between two sides while that makes the cut cheaper (Fiduccia and Mattheyses 1982).
#ifndef RANKWISE_PLACEMENT_REFINE_H
#define RANKWISE_PLACEMENT_REFINE_H

#include <array>

#include "buckets.h"
#include "effort.h"
#include "graph.h"

namespace rankwise::placement {

using Sides = std::vector<std::uint8_t>;
using Capacity = std::array<Index, 2>;  // ranks that each side has room for

struct Quality {
  Index overload;  // ranks beyond the capacities
  double cut;      // weight of the edges between the sides, and pull of the vertices on side 1

  [[nodiscard]] bool better_than(const Quality &other) const {
    return overload < other.overload || (overload == other.overload && cut < other.cut);
  }
};

// Reused memory.
struct Workspace {
  std::vector<Standing> vertices;
  std::array<Buckets, 2> heaps;
  Indices candidates;  // vertices that may be at the border
  Indices known;
  Indices moves;
};

// Moves vertices, first those among `work.candidates`, which must include all at the border. Coarse vertices rarely
// fill a side exactly: up to `tolerance` ranks beyond its capacity are no overload. `effort` limits the moves without
// gain in a pass.
Quality refine(const Graph &graph, Sides &sides, Capacity capacity, Index tolerance, int passes, const Effort &effort,
               Workspace &work);

// Makes all vertices candidates.
void consider_all(const Graph &graph, Workspace &work);

// Whether a vertex has a neighbour on the other side, or is pulled there.
bool is_at_border(const Graph &graph, const Sides &sides, Index v);

}  // namespace rankwise::placement

#endif
