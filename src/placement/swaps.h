// Improves a placement: two ranks change places, or one goes to a free one, if that is cheaper.
#ifndef RANKWISE_PLACEMENT_SWAPS_H
#define RANKWISE_PLACEMENT_SWAPS_H

#include "effort.h"
#include "machine.h"
#include "random.h"

namespace rankwise::placement {

// The cost of a placement.
double cost_of(const Traffic &traffic, const Machine &machine, const Indices &place);

// Each rank tries the groups of slots with most of its traffic, and nearby groups in a network; a rank that profits
// from a swap tries again. `kind` of places, if any: ranks go only to places of the same kind.
void search_swaps(const Traffic &traffic, const Machine &machine, const Effort &effort, Random &random, Indices &place,
                  const Indices &kind = {});

}  // namespace rankwise::placement

#endif
