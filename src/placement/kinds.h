// Objects of one kind can change places with all their ranks.
#ifndef RANKWISE_PLACEMENT_KINDS_H
#define RANKWISE_PLACEMENT_KINDS_H

#include "machine.h"

namespace rankwise::placement {

// The kinds of objects of a level, which begin at these places; the last entry is where the last one ends. They are of
// one kind if they have equally many slots, which have equally many objects in common, one by one.
Indices kinds(const Machine &machine, const Indices &begins);

}  // namespace rankwise::placement

#endif
