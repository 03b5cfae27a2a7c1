// What no placement can cost less than.
#ifndef RANKWISE_PLACEMENT_BOUND_H
#define RANKWISE_PLACEMENT_BOUND_H

#include "machine.h"

namespace rankwise::placement {

// As if each rank had its heaviest partners in the nearest places, whatever these have. Takes the square of the slots.
double least_cost(const Traffic &traffic, const Machine &machine);

}  // namespace rankwise::placement

#endif
