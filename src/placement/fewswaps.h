// Swaps in a network of few slots. The cost of each rank in each place is always up to date.
#ifndef RANKWISE_PLACEMENT_FEWSWAPS_H
#define RANKWISE_PLACEMENT_FEWSWAPS_H

#include "effort.h"
#include "machine.h"
#include "random.h"

namespace rankwise::placement {

// Whether the network is small enough to try all places.
bool are_few(const Machine &machine);

// As search_swaps, with all places for each rank.
void search_few_swaps(const Traffic &traffic, const Machine &machine, const Effort &effort, Random &random,
                      Indices &place, const Indices &kind);

// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983): random swaps, also to more expensive placements, ever less
// often. The final placement need not be cheaper.
void anneal(const Traffic &traffic, const Machine &machine, int steps, Random &random, Indices &place);

}  // namespace rankwise::placement

#endif
