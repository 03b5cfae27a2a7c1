// Makes a graph smaller by merging vertices that communicate much.
#ifndef RANKWISE_PLACEMENT_COARSEN_H
#define RANKWISE_PLACEMENT_COARSEN_H

#include <optional>

#include "graph.h"
#include "random.h"

namespace rankwise::placement {

struct Coarser {
  Graph graph;
  Indices vertex;  // of the coarser graph, for each of the finer one
};

// Merges pairs of vertices, none to more than `most` ranks. Nothing if that would hardly make it smaller.
std::optional<Coarser> coarsen(const Graph &graph, Index most, Random &random);

}  // namespace rankwise::placement

#endif
