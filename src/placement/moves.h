// Of all equally good placements, the one with the fewest moves: the given placement says which ranks are together,
// and at which level. Which of several equal nodes they get is all the same, and so is which of its cores each gets.
#ifndef RANKWISE_PLACEMENT_MOVES_H
#define RANKWISE_PLACEMENT_MOVES_H

#include "graph.h"
#include "parts.h"

namespace rankwise::placement {

// Exchanges equal parts of the machine, with all ranks in them, so that the most ranks stay in their slots. Ranks that
// had a level in common still have it, so no cost that depends on levels alone changes. From the innermost level
// outwards, the children of two equal objects are assigned to each other for the most gain; so the number of ranks that
// stay is the largest that such exchanges can reach.
Indices minimal_moves(const Parts &parts, const Indices &wanted, const Indices &present);

// Exchanges groups of as many ranks which send nothing to any other, each on one object of a level, so that the most
// ranks stay in their objects. Groups may differ in who sends to whom inside of them: whether the cost is the same,
// the caller sees.
Indices exchanged_groups(const Traffic &traffic, const Parts &parts, int level, const Indices &wanted,
                         const Indices &present);

}  // namespace rankwise::placement

#endif
