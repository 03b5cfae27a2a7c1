// The load of each link under a placement.
#ifndef RANKWISE_PLACEMENT_LOADS_H
#define RANKWISE_PLACEMENT_LOADS_H

#include <utility>

#include "graph.h"
#include "links.h"

namespace rankwise::placement {

class Loads {
 public:
  // `slot` of each rank, as the links number them.
  Loads(const Traffic &traffic, const Links &links, Indices slot);

  // The most loaded link, or one of them; -1 if no link is loaded.
  [[nodiscard]] Index most_loaded() const { return links_.count() > 0 ? tree_[1] : -1; }
  [[nodiscard]] double highest() const { return links_.count() > 0 ? load_[tree_[1]] : 0; }
  [[nodiscard]] double load(Index link) const { return load_[link]; }
  // Sum of all loads' squares: smaller if the same bytes are spread more evenly.
  [[nodiscard]] double squares() const { return squares_; }
  // Ranks go to other slots, all at once.
  using Moves = std::vector<std::pair<Index, Index>>;  // rank, slot
  void move(const Moves &moves);
  // Undoes the last move exactly.
  void undo();
  // Calls back for each pair of ranks whose bytes take a link: rank, rank, bytes.
  template <typename Tell>
  void each_over(Index link, const Tell &tell) const {
    for (Index rank = 0; rank < traffic_.rows.size(); rank++) {
      for (std::size_t i = traffic_.rows.first(rank); i < traffic_.rows.last(rank); i++) {
        const Index other = traffic_.rows.adjacent[i];
        if (other < rank) continue;
        double bytes = 0;
        each_step(rank, i, [&](Index step, double share) { bytes += step == link ? share * traffic_.bytes[i] : 0; });
        if (bytes > 0) tell(rank, other, bytes);
      }
    }
  }

 private:
  // Calls back for the links of an entry of a rank: link, share of its bytes.
  template <typename Tell>
  void each_step(Index rank, std::size_t entry, const Tell &tell) const {
    const double bytes = traffic_.bytes[entry];
    if (bytes > 0)
      links_.each_step(slot_[rank], slot_[traffic_.rows.adjacent[entry]], traffic_.sent[entry] / bytes, tell);
  }
  void add_pair(Index rank, std::size_t entry, double sign);
  void settle();
  void decide(std::size_t at);

  const Traffic &traffic_;
  const Links &links_;
  Indices slot_;
  std::vector<double> load_;
  double squares_ = 0;
  std::size_t leaves_ = 1;
  Indices tree_;  // a tournament: tree_[i] is the more loaded one of tree_[2 i] and tree_[2 i + 1]; -1: none
  // The changes by the last move.
  Moves slots_before_;
  double squares_before_ = 0;
  struct Before {
    Index link;
    double load;
  };
  std::vector<Before> before_;
  std::vector<std::uint8_t> is_changed_;  // [links]
};

}  // namespace rankwise::placement

#endif
