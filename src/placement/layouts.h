// Placements that follow from the structure of a graph: a grid on a torus, a band along the machine.
#ifndef RANKWISE_PLACEMENT_LAYOUTS_H
#define RANKWISE_PLACEMENT_LAYOUTS_H

#include <optional>

#include "machine.h"

namespace rankwise::placement {

// The cheapest of them, as the place of each rank; nothing if the graph suggests none.
std::optional<Indices> best_layout(const Traffic &traffic, const Machine &machine);

}  // namespace rankwise::placement

#endif
