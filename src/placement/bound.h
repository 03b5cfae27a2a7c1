// A lower bound for the cost of any placement.
#ifndef RANKWISE_PLACEMENT_BOUND_H
#define RANKWISE_PLACEMENT_BOUND_H

#include "machine.h"

namespace rankwise::placement {

// Assumes that each rank has its heaviest partners in the nearest places, regardless of their other partners. Takes the
// square of the slots.
double least_cost(const Traffic &traffic, const Machine &machine);

}  // namespace rankwise::placement

#endif
