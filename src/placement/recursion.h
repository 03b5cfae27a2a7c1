// Places ranks from the top of the machine downwards: first which node, then which part of the node, ...
#ifndef RANKWISE_PLACEMENT_RECURSION_H
#define RANKWISE_PLACEMENT_RECURSION_H

#include "effort.h"
#include "machine.h"
#include "parallel.h"
#include "progress.h"

namespace rankwise::placement {

// An object of the machine.
struct Object {
  Index first, last;  // places

  [[nodiscard]] Index room() const { return last - first; }
};

// What to do if there are more slots than ranks.
enum class Filling {
  kFewest,  // leave as many parts as possible empty
  kEven     // give all parts equally many ranks, as far as they have room
};

// The place of each rank. The price of separating two ranks depends only on the level at which they are separated. So
// each level can be decided without regard to the levels below.
Indices place_by_level(const Traffic &traffic, const Machine &machine, Filling filling, const Effort &effort,
                       std::uint64_t seed, Parallel &parallel, Progress &progress);

// Places ranks inside an object of the machine, which has the places first ... last - 1 and parts at `level`; vertex v
// of the traffic is ranks[v].
void place_inside(const Traffic &traffic, const Indices &ranks, const Machine &machine, Index first, Index last,
                  int level, const Effort &effort, std::uint64_t seed, Parallel &parallel, Indices &place);

// Places ranks in the same way into some objects of one level, which share all enclosing objects and have enough room.
void place_among(const Traffic &traffic, const Indices &ranks, const Machine &machine,
                 const std::vector<Object> &objects, int level, const Effort &effort, std::uint64_t seed,
                 Parallel &parallel, Indices &place);

}  // namespace rankwise::placement

#endif
