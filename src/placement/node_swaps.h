// Improves a placement on a network: two nodes exchange all their ranks.
#ifndef RANKWISE_PLACEMENT_NODE_SWAPS_H
#define RANKWISE_PLACEMENT_NODE_SWAPS_H

#include "effort.h"
#include "machine.h"
#include "random.h"

namespace rankwise::placement {

// Only nodes with equivalent slots.
void swap_nodes(const Traffic &traffic, const Machine &machine, const Effort &effort, Random &random, Indices &place);

}  // namespace rankwise::placement

#endif
