// An order of ranks in which partners are near each other: that of a band, if the graph is one.
#ifndef RANKWISE_PLACEMENT_SWEEP_H
#define RANKWISE_PLACEMENT_SWEEP_H

#include "graph.h"

namespace rankwise::placement {

// Each time the vertex follows that communicates most with those before, of equal ones the first that was seen. Several
// sweeps, each from the end of the one before: the third one finds the order of any band (Corneil 2004).
Indices sweep(const Rows &rows, const std::vector<double> &weight);

}  // namespace rankwise::placement

#endif
