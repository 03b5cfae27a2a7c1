// Improves a placement: ranks change places so that less goes over the most loaded link.
#ifndef RANKWISE_PLACEMENT_BOTTLENECK_H
#define RANKWISE_PLACEMENT_BOTTLENECK_H

#include "effort.h"
#include "links.h"
#include "machine.h"
#include "random.h"

namespace rankwise::placement {

// The load of the most loaded link.
double highest_load(const Traffic &traffic, const Links &links, const Machine &machine, const Indices &place);

// Ranks whose bytes take the most loaded link try other places, near partners and anywhere, as long as that relieves it
// or spreads the load. Then ranks go nearer to their partners if that does not raise the highest load. The cost does
// not rise above `limit`; if it is above, falling to the limit comes first. With a finite limit the search is short.
void relieve_bottleneck(const Traffic &traffic, const Links &links, const Machine &machine, const Effort &effort,
                        double limit, Random &random, Indices &place);

}  // namespace rankwise::placement

#endif
