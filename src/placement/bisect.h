// Divides a graph into two sides with room for so many ranks each, at low cost.
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

// Multilevel: coarsen, divide by growing one side, and refine on the way back (Karypis and Kumar 1998). The capacities
// are met exactly if all vertices are single ranks and the total capacity suffices.
Bisection bisect(const Graph &graph, Capacity capacity, const Effort &effort, Random &random, Workspace &work);

}  // namespace rankwise::placement

#endif
