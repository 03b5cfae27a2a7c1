// Improves a placement: two ranks change places, or one goes to a free one, where that is cheaper.
#ifndef RANKWISE_PLACEMENT_SWAPS_H
#define RANKWISE_PLACEMENT_SWAPS_H

#include "effort.h"
#include "machine.h"
#include "random.h"

namespace rankwise::placement {

// What a placement costs.
double cost_of(const Traffic &traffic, const Machine &machine, const Indices &place);

// Each rank tries the groups of slots in which most of its traffic goes; whoever profits from a swap tries again.
void search_swaps(const Traffic &traffic, const Machine &machine, const Effort &effort, Random &random, Indices &place);

}  // namespace rankwise::placement

#endif
