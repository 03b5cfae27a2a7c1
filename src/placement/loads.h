// How much goes over each link under a placement.
#ifndef RANKWISE_PLACEMENT_LOADS_H
#define RANKWISE_PLACEMENT_LOADS_H

#include "graph.h"
#include "links.h"

namespace rankwise::placement {

class Loads {
 public:
  // `slot` of each rank, as the links number them.
  Loads(const Traffic &traffic, const Links &links, Indices slot);

  // The most loaded link, one of several; -1 if there is none.
  [[nodiscard]] Index most_loaded() const { return links_.count() > 0 ? tree_[1] : -1; }
  [[nodiscard]] double highest() const { return links_.count() > 0 ? load_[tree_[1]] : 0; }
  // Sum of all loads' squares: smaller if the same bytes are spread more evenly.
  [[nodiscard]] double squares() const { return squares_; }
  void move(Index rank, Index slot);
  // Calls back for each pair of ranks whose bytes take a link: rank, rank, bytes.
  template <typename Tell>
  void each_over(Index link, const Tell &tell) const {
    Way way;
    for (Index rank = 0; rank < traffic_.rows.size(); rank++) {
      for (std::size_t i = traffic_.rows.first(rank); i < traffic_.rows.last(rank); i++) {
        const Index other = traffic_.rows.adjacent[i];
        if (other < rank) continue;
        find_way(rank, i, way);
        double share = 0;
        for (const Step &step : way)
          if (step.link == link) share += step.share;
        if (share > 0) tell(rank, other, share * traffic_.bytes[i]);
      }
    }
  }

 private:
  void find_way(Index rank, std::size_t entry, Way &way) const;
  void add_pair(Index rank, std::size_t entry, double sign);
  void add(Index link, double load);
  void decide(std::size_t at);

  const Traffic &traffic_;
  const Links &links_;
  Indices slot_;
  std::vector<double> load_;
  double squares_ = 0;
  std::size_t leaves_ = 1;
  Indices tree_;  // a tournament: tree_[i] is the more loaded one of tree_[2 i] and tree_[2 i + 1]; -1: none
  Way way_;
};

}  // namespace rankwise::placement

#endif
