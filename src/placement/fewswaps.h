// Swaps in a network of few slots: what each rank would cost in each place is known all the time.
#ifndef RANKWISE_PLACEMENT_FEWSWAPS_H
#define RANKWISE_PLACEMENT_FEWSWAPS_H

#include "effort.h"
#include "machine.h"
#include "random.h"

namespace rankwise::placement {

// Whether nothing is too far away to be tried.
bool are_few(const Machine &machine);

// As search_swaps, with all places for each rank.
void search_few_swaps(const Traffic &traffic, const Machine &machine, const Effort &effort, Random &random,
                      Indices &place, const Indices &kind);

// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983): random swaps, also to what is dearer, ever less so. Ends
// in what is there then, which need not be cheaper.
void anneal(const Traffic &traffic, const Machine &machine, int steps, Random &random, Indices &place);

}  // namespace rankwise::placement

#endif
