// Divides some objects of the machine among their ranks again and again.
#ifndef RANKWISE_PLACEMENT_REPARTITION_H
#define RANKWISE_PLACEMENT_REPARTITION_H

#include "effort.h"
#include "machine.h"

namespace rankwise::placement {

// Takes a few neighbouring objects of the same parent, places all their ranks in them from scratch, and keeps the
// result if it costs no more. Traffic with other ranks costs the same in any case: the ranks stay in the parent. Not
// for networks.
void repartition_objects(const Traffic &traffic, const Machine &machine, const Effort &effort, std::uint64_t seed,
                         Indices &place);

}  // namespace rankwise::placement

#endif
