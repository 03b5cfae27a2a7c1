// An order of ranks in which partners are near each other: the order of a band, if the graph is one.
#ifndef RANKWISE_PLACEMENT_SWEEP_H
#define RANKWISE_PLACEMENT_SWEEP_H

#include "graph.h"

namespace rankwise::placement {

// The next vertex always has the most traffic to those before; of equal ones the first that was seen comes first. Each
// sweep starts at the end of the previous one: the third one finds the order of any band (Corneil 2004).
Indices sweep(const Rows &rows, const std::vector<double> &weight);

}  // namespace rankwise::placement

#endif
