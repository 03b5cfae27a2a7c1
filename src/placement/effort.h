// How hard to try.
#ifndef RANKWISE_PLACEMENT_EFFORT_H
#define RANKWISE_PLACEMENT_EFFORT_H

#include <algorithm>
#include <cstdint>

namespace rankwise::placement {

// Few ranks take only milliseconds, so more is tried for them.
struct Repartitions {
  int patience = 0;  // attempts in a row that gain nothing
  int tries = 0;     // of the same objects
  int bisections = 0;
  int starts = 0;         // of each attempt: another attempt gains more than another start
  std::int64_t work = 0;  // ranks and edges that are divided in all of them
};

struct Effort {
  int starts;          // bisections of the coarsest graph
  int coarse_passes;   // of refinement, on coarse graphs
  int fine_passes;     // on the finest
  int patience;        // moves without gain, at most
  int least_patience;  // maximum on the smallest graphs
  int bisections;      // of each graph; the best one counts
  int kway_rounds;     // of refinement between all parts of an object
  int kway_patience;
  int search_rounds;    // of the search for swaps
  int search_partners;  // whose neighbourhood is tried
  int rounds;           // of exchange and swaps
  int seeds;
  std::int32_t one_seed;             // number of ranks from which one seed is used; fewer ranks are placed from more
                                     // seeds, in proportion
  std::int32_t one_seed_on_network;  // where it depends on chance how well two halves fit together
  Repartitions repartitions;
  int annealing;  // steps, in a network of few slots
  // Saves work that hardly lowers the cost of many ranks: on small graphs, on dense ones, and of swaps.
  bool is_thrifty = false;

  // Some ranks have far more partners than others: refinement takes long.
  bool has_hubs = false;

  // Vertices of a graph that is not coarsened further.
  [[nodiscard]] std::int32_t coarsest() const { return is_thrifty ? 44 : 100; }
};

constexpr Effort kQuick{3, 2, 3, 500, 24, 1, 1, 20, 3, 3, 1, 1, 0, 0, {}, 0};
constexpr Effort kUsual{5, 4, 6, 1500, 36, 2, 2, 40, 6, 3, 1, 1, 256, 384, {150, 3, 1, 2, 45000}, 30000};
constexpr Effort kThorough{16, 4, 6, 4000, 100, 2, 6, 120, 20, 5, 3, 1, 512, 65536, {200, 12, 3, 16, 4000000}, 1000000};
constexpr Effort kMost{16, 4, 6, 4000, 100, 2, 6, 120, 20, 5, 3, 4, 512, 65536, {200, 12, 3, 16, 4000000}, 4000000};

// Few ranks are divided repeatedly. In a network of few slots, annealing corrects the result of recursive bisection, so
// short bisections suffice.
constexpr Effort short_of(Effort effort, bool is_network) {
  effort.least_patience = 20;
  effort.bisections = 1;
  effort.starts = is_network ? 1 : 3;
  effort.one_seed_on_network = 256;
  return effort;
}

// The caller's effort, 0 to 3; few slots: of a network.
inline Effort effort_for(int wish, std::int32_t ranks, bool is_network, bool are_few_slots) {
  constexpr std::int32_t few = 8192, some = 2048, very_few = 512, most_seeds = 8, most_on_network = 32;
  if (wish <= 0) return kQuick;
  Effort effort = wish == 1 ? kUsual : wish == 2 ? kThorough : kMost;
  effort.is_thrifty = wish == 1 && !is_network && ranks > very_few;
  if (effort.is_thrifty) effort.least_patience = 20;
  if (wish == 1 && (is_network ? are_few_slots : ranks <= very_few)) effort = short_of(effort, is_network);
  if (ranks <= few && (!effort.is_thrifty || ranks > some)) effort.bisections++;
  if (ranks > very_few) effort.repartitions = {};
  if (is_network)
    effort.seeds = std::max(effort.seeds, std::min(effort.one_seed_on_network / ranks, most_on_network));
  else
    effort.seeds *= std::clamp(effort.one_seed / ranks, 1, most_seeds);
  return effort;
}

}  // namespace rankwise::placement

#endif
