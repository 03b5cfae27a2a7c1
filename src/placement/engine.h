// Tries several placements and takes the cheapest.
#ifndef RANKWISE_PLACEMENT_ENGINE_H
#define RANKWISE_PLACEMENT_ENGINE_H

#include <limits>

#include "graph.h"
#include "machine.h"
#include "rankwise/placement.h"

namespace rankwise::placement {

// What a placement minimises.
struct Objective {
  bool is_load = false;  // of the most loaded link; otherwise the sum of all costs
  // The sum may exceed the lowest one found by this share if that reduces the load.
  double extra = std::numeric_limits<double>::infinity();
};

struct Found {
  Indices slot;  // of each rank, by the caller's numbers
  rankwise_costs sums;
  rankwise_costs loads;  // 0 if they do not matter
};

// The input must be valid; the objective in the wishes has no effect.
Found find_placement(const Traffic &traffic, const rankwise_slots &slots, const rankwise_wishes &wishes,
                     const Objective &objective);

}  // namespace rankwise::placement

#endif
