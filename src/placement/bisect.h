// Parts a graph into two sides with room for so many ranks each, as cheaply as it can.
#ifndef RANKWISE_PLACEMENT_BISECT_H
#define RANKWISE_PLACEMENT_BISECT_H

#include "effort.h"
#include "random.h"
#include "refine.h"

namespace rankwise::placement {

struct Bisection {
  Sides sides;
  Quality quality;
};

// Multilevel: coarsened, parted by growing one side, and refined on the way back (Karypis and Kumar 1998). The
// capacities hold exactly if all vertices are single ranks, and both together suffice.
Bisection bisect(const Graph &graph, Capacity capacity, const Effort &effort, Random &random, Workspace &work);

}  // namespace rankwise::placement

#endif
