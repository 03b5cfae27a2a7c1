// Moves vertices between two sides while that makes the cut cheaper (Fiduccia and Mattheyses 1982).
#ifndef RANKWISE_PLACEMENT_REFINE_H
#define RANKWISE_PLACEMENT_REFINE_H

#include <array>

#include "effort.h"
#include "graph.h"
#include "heap.h"

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

// Memory that is used again and again.
struct Workspace {
  std::array<Heap, 2> heaps;
  std::vector<double> gain;
  std::vector<std::uint8_t> locked;
  Indices moves;
};

// Coarse vertices rarely fill a side exactly: `tolerance` ranks beyond its capacity are no overload. Ends a pass after
// so many moves without gain as the effort says.
Quality refine(const Graph &graph, Sides &sides, Capacity capacity, Index tolerance, int passes, const Effort &effort,
               Workspace &work);

}  // namespace rankwise::placement

#endif
