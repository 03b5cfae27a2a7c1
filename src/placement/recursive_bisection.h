// Places ranks on a network: its nodes are halved again and again, and the ranks with them.
#ifndef RANKWISE_PLACEMENT_RECURSIVE_BISECTION_H
#define RANKWISE_PLACEMENT_RECURSIVE_BISECTION_H

#include "effort.h"
#include "machine.h"
#include "parallel.h"
#include "progress.h"

namespace rankwise::placement {

// The place of each rank. Each bisection knows where the other ranks are, so that ranks go to the side nearer to their
// partners (Dunlop and Kernighan 1985).
Indices place_by_bisection(const Traffic &traffic, const Machine &machine, const Effort &effort, std::uint64_t seed,
                           Parallel &parallel, Progress &progress);

// Places ranks inside their given nodes, each with room for them.
Indices place_in_nodes(const Traffic &traffic, const Machine &machine, const Indices &node, const Effort &effort,
                       std::uint64_t seed, Parallel &parallel);

}  // namespace rankwise::placement

#endif
