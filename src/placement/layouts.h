// Placements that follow from what a graph is: a grid laid onto a torus, a band along the machine.
#ifndef RANKWISE_PLACEMENT_LAYOUTS_H
#define RANKWISE_PLACEMENT_LAYOUTS_H

#include <optional>

#include "machine.h"

namespace rankwise::placement {

// The cheapest of them, as the place of each rank; nothing if the graph suggests none.
std::optional<Indices> best_layout(const Traffic &traffic, const Machine &machine);

}  // namespace rankwise::placement

#endif
