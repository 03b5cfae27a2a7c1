// How hard to try.
#ifndef RANKWISE_PLACEMENT_EFFORT_H
#define RANKWISE_PLACEMENT_EFFORT_H

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
};

constexpr Effort kEfforts[] = {
    {8, 2, 3, 1500, 16, 2, 2, 40, 6, 3, 1, 1},
    {16, 4, 6, 4000, 100, 2, 6, 120, 20, 5, 3, 1},
    {16, 4, 6, 4000, 100, 2, 6, 120, 20, 5, 3, 4},
};

}  // namespace rankwise::placement

#endif
