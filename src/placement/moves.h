// Selects the placement with the fewest moves from all equally good ones. The given placement defines which ranks are
// together, and at which level. It does not matter which of several equal nodes they get, nor which cores each gets.
#ifndef RANKWISE_PLACEMENT_MOVES_H
#define RANKWISE_PLACEMENT_MOVES_H

#include "graph.h"
#include "parts.h"

namespace rankwise::placement {

// Exchanges equal parts of the machine, with all ranks in them, so that most ranks stay in their slots. Ranks that had
// a level in common still have it, so costs that depend only on levels do not change. From the innermost level
// outwards, the children of two equal objects are assigned to each other for the largest gain. So the number of ranks
// that stay is the largest that such exchanges can reach.
Indices minimal_moves(const Parts &parts, const Indices &wanted, const Indices &present);

// Exchanges groups of equally many ranks that send nothing to other groups, each on one object of a level, so that most
// ranks stay in their objects. The traffic inside groups may differ: the caller checks whether the cost is the same.
Indices exchanged_groups(const Traffic &traffic, const Parts &parts, int level, const Indices &wanted,
                         const Indices &present);

}  // namespace rankwise::placement

#endif
