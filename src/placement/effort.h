// How hard to try.
#ifndef RANKWISE_PLACEMENT_EFFORT_H
#define RANKWISE_PLACEMENT_EFFORT_H

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace rankwise::placement {

struct Effort {
  int starts;          // bisections of the coarsest graph
  int coarse_passes;   // of refinement, on coarse graphs
  int fine_passes;     // on the finest
  int patience;        // moves without gain, at most
  int least_patience;  // likewise, on the smallest graphs
  int bisections;      // of each graph, the best of which counts
  int sibling_rounds;  // of refinement between all parts of an object
  int sibling_patience;
  int search_rounds;    // of the search for swaps
  int search_partners;  // whose neighbourhood is tried
  int rounds;           // of exchange and swaps
  int seeds;
  int redivisions = 0;  // in a row that gain nothing
};

constexpr Effort kEfforts[] = {
    {5, 4, 6, 1500, 36, 2, 2, 40, 6, 3, 1, 1},
    {16, 4, 6, 4000, 100, 2, 6, 120, 20, 5, 3, 1},
    {16, 4, 6, 4000, 100, 2, 6, 120, 20, 5, 3, 4},
};

// Few ranks are placed within milliseconds, so more is tried.
inline Effort effort_for(int wish, std::int32_t ranks) {
  constexpr std::int32_t few = 8192, very_few = 512, most_seeds = 8, patience = 200;
  Effort effort = kEfforts[std::clamp(wish, 1, static_cast<int>(std::size(kEfforts))) - 1];
  if (ranks <= few) effort.bisections++;
  if (ranks <= very_few) effort.redivisions = patience;
  effort.seeds *= std::clamp(very_few / std::max(ranks, 1), 1, most_seeds);
  return effort;
}

}  // namespace rankwise::placement

#endif
