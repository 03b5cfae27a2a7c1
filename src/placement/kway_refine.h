// Refines a division into many parts: each two parts that communicate exchange vertices.
#ifndef RANKWISE_PLACEMENT_KWAY_REFINE_H
#define RANKWISE_PLACEMENT_KWAY_REFINE_H

#include "effort.h"
#include "graph.h"

namespace rankwise::placement {

// All vertices are single ranks, and no part has more than it has room for; so it stays.
void kway_refine(const Graph &graph, Indices &part, std::span<const Index> capacity, const Effort &effort);

}  // namespace rankwise::placement

#endif
