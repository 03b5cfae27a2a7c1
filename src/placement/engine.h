// Tries several placements and takes the cheapest.
#ifndef RANKWISE_PLACEMENT_ENGINE_H
#define RANKWISE_PLACEMENT_ENGINE_H

#include "graph.h"
#include "machine.h"
#include "rankwise/placement.h"

namespace rankwise::placement {

struct Found {
  Indices slot;  // of each rank, by the caller's numbers
  rankwise_costs costs;
};

// The input must be valid.
Found find_placement(const Traffic &traffic, const rankwise_slots &slots, const rankwise_wishes &wishes);

}  // namespace rankwise::placement

#endif
