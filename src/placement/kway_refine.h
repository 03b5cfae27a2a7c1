// Refines a division into many parts: each pair of parts that communicate exchanges vertices.
#ifndef RANKWISE_PLACEMENT_KWAY_REFINE_H
#define RANKWISE_PLACEMENT_KWAY_REFINE_H

#include "effort.h"
#include "graph.h"

namespace rankwise::placement {

// All vertices must be single ranks, and no part may exceed its capacity, before and after.
void kway_refine(const Graph &graph, Indices &part, std::span<const Index> capacity, const Effort &effort);

}  // namespace rankwise::placement

#endif
