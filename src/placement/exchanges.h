// Ranks that change places, what that does to the loads of links, and the way back.
#ifndef RANKWISE_PLACEMENT_EXCHANGES_H
#define RANKWISE_PLACEMENT_EXCHANGES_H

#include "loads.h"
#include "machine.h"

namespace rankwise::placement {

// The slot at the place of each rank.
Indices slots_of(const Machine &machine, const Indices &place);

class Exchanges {
 public:
  Exchanges(const Traffic &traffic, const Links &links, const Machine &machine, Indices &place);

  [[nodiscard]] const Loads &loads() const { return loads_; }
  // The rank at a place; -1: none.
  [[nodiscard]] Index occupant(Index place) const { return occupant_[place]; }
  // A rank goes to a place; the rank there, if any, comes to its place.
  void swap(Index rank, Index place);
  // All ranks at `count` places from `first` on change places with those from `second` on, in the same order.
  void swap_objects(Index first, Index second, Index count);
  // Undoes the last exchange.
  void undo();
  // The cost of the messages of the ranks in the last exchange, with pairs among them twice: they cost the same after
  // it, because both of a pair go, and objects are of one kind.
  [[nodiscard]] double cost_of_last() const;
  // Ranks in the last exchange.
  [[nodiscard]] const Indices &last() const { return ranks_; }
  // Edges of all ranks that moved so far, and one for each of them.
  [[nodiscard]] std::size_t work() const { return work_; }

 private:
  void begin();
  void add(Index rank, Index place);
  void end();
  void put(Index rank, Index place);

  const Traffic &traffic_;
  const Machine &machine_;
  Indices &place_;
  Indices occupant_;
  Loads loads_;
  // The last exchange.
  Indices ranks_, before_, after_;
  Loads::Moves moves_;
  std::size_t work_ = 0;
};

}  // namespace rankwise::placement

#endif
