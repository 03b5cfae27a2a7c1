// How near each rank is to its partners in a tree, and what it could save in another place at most.
#ifndef RANKWISE_PLACEMENT_NEARNESS_H
#define RANKWISE_PLACEMENT_NEARNESS_H

#include "machine.h"

namespace rankwise::placement {

class Nearness {
 public:
  // `group` of each rank: kept up to date by the caller, who calls `move` before each change.
  Nearness(const Traffic &traffic, const Machine &machine, const Indices &group);

  // The upper bound of a rank's savings in a group that has so many objects in common with its present one, if no other
  // rank moves: partners that are nearer than the new group will be as far as that, others may become as near as can
  // be.
  [[nodiscard]] double most_saved(Index rank, int shared) const;
  // Whether the bound is above a value for any other group.
  [[nodiscard]] bool may_save(Index rank, double least) const;
  // A rank goes to a group.
  void move(Index rank, Index to);

 private:
  // Traffic with partners that have so many objects in common with the rank.
  struct Sum {
    double bytes = 0, messages = 0;
  };
  [[nodiscard]] std::size_t at(Index rank, int common) const {
    return static_cast<std::size_t>(rank) * (machine_.depth() + 1) + common;
  }
  void add(Index rank, int common, std::size_t entry, double sign);

  const Traffic &traffic_;
  const Machine &machine_;
  const Indices &group_;
  std::vector<Price> spread_;  // by common objects: what a byte or message between them can save at most
  std::vector<Sum> sums_;      // [ranks][depth + 1]
};

}  // namespace rankwise::placement

#endif
