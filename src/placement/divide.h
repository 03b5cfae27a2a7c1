// Divides a graph of single ranks into parts with room for so many ranks each.
#ifndef RANKWISE_PLACEMENT_DIVIDE_H
#define RANKWISE_PLACEMENT_DIVIDE_H

#include "effort.h"
#include "graph.h"
#include "parallel.h"

namespace rankwise::placement {

// The part of each vertex. The capacities hold if all of them together suffice.
Indices divide(const Graph &graph, std::span<const Index> capacity, const Effort &effort, std::uint64_t seed,
               Parallel &parallel);

}  // namespace rankwise::placement

#endif
