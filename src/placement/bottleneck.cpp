#include "bottleneck.h"

#include <algorithm>
#include <numeric>

#include "loads.h"

namespace rankwise::placement {

namespace {

constexpr Index kFew = 32;             // slots: all are tried
constexpr int kMembers = 12;           // ranks that are tried to relieve a link
constexpr int kPlaces = 24;            // that each of them tries, half of them near partners
constexpr int kPatience = 6;           // searches in a row without success
constexpr double kWorthwhile = 1e-12;  // less may be rounding
constexpr std::size_t kBudgetOfEdge = 400, kLeastBudget = 4000000;  // edges moved

Indices slots_of(const Machine &machine, const Indices &place) {
  Indices slot(place.size());
  std::transform(place.begin(), place.end(), slot.begin(), [&](Index at) { return machine.slot(at); });
  return slot;
}

class BottleneckSearch {
 public:
  BottleneckSearch(const Traffic &traffic, const Links &links, const Machine &machine, const Effort &effort,
                   Random &random, Indices &place)
      : traffic_(traffic),
        machine_(machine),
        random_(random),
        place_(place),
        occupant_(machine.slots(), -1),
        loads_(traffic, links, slots_of(machine, place)),
        left_((traffic.rows.adjacent.size() * kBudgetOfEdge + kLeastBudget) * effort.rounds) {
    for (std::size_t rank = 0; rank < place.size(); rank++) occupant_[place[rank]] = static_cast<Index>(rank);
  }

  void run() {
    for (int failures = 0; failures < (is_small() ? 1 : kPatience) && left_ > 0;)
      failures = relieve_once() ? 0 : failures + 1;
    draw_together();
  }

 private:
  struct State {
    double highest, squares;

    [[nodiscard]] bool is_better_than(const State &other) const {
      if (highest < other.highest * (1 - kWorthwhile)) return true;
      return highest <= other.highest && squares < other.squares * (1 - kWorthwhile);
    }
  };

  [[nodiscard]] State state() const { return {loads_.highest(), loads_.squares()}; }
  [[nodiscard]] bool is_small() const { return machine_.slots() <= kFew; }

  // The best of the swaps that are tried; false if none is good.
  bool relieve_once() {
    State best = state();
    Index chosen = -1, target = -1;
    for (const Index rank : members()) {
      for (const Index place : places_for(rank)) {
        const Index before = place_[rank];
        swap(rank, place);
        const State now = state();
        swap_back(rank, before);
        if (!now.is_better_than(best)) continue;
        best = now;
        chosen = rank;
        target = place;
      }
    }
    if (chosen < 0) return false;
    swap(chosen, target);
    return true;
  }

  // Ranks whose bytes take the most loaded link; if they are many, a sample of those with most bytes.
  Indices members() {
    std::vector<double> share(place_.size(), 0);
    Indices candidates;
    loads_.each_over(loads_.most_loaded(), [&](Index first, Index second, double bytes) {
      for (const Index rank : {first, second}) {
        if (share[rank] <= 0) candidates.push_back(rank);
        share[rank] += bytes;
      }
    });
    left_ -= std::min(left_, traffic_.rows.adjacent.size());
    if (is_small() || candidates.size() <= kMembers) return candidates;
    random_.shuffle(candidates);
    candidates.resize(std::max<std::size_t>(kMembers, candidates.size() / 2));
    std::stable_sort(candidates.begin(), candidates.end(), [&](Index a, Index b) { return share[a] > share[b]; });
    candidates.resize(kMembers);
    return candidates;
  }

  Indices places_for(Index rank) {
    Indices places;
    if (is_small()) {
      places.resize(machine_.slots());
      std::iota(places.begin(), places.end(), 0);
    } else {
      const std::size_t first = traffic_.rows.first(rank);
      const auto count = static_cast<Index>(traffic_.rows.last(rank) - first);
      for (int i = 0; i < kPlaces; i++)
        places.push_back(i % 2 == 0 && count > 0 ? near(place_[traffic_.rows.adjacent[first + random_.below(count)]])
                                                 : random_.below(machine_.slots()));
    }
    std::erase(places, place_[rank]);
    return places;
  }

  // A place of the group of a place, or of a group near it.
  Index near(Index place) {
    Index group = machine_.group(place);
    if (machine_.network() || machine_.first(group + 1) - machine_.first(group) == 1)
      group = std::clamp(group + random_.below(3) - 1, 0, machine_.groups() - 1);
    return machine_.first(group) + random_.below(machine_.first(group + 1) - machine_.first(group));
  }

  void swap(Index rank, Index place) {
    const Index other = occupant_[place], before = place_[rank];
    moves_.assign(1, {rank, machine_.slot(place)});
    if (other >= 0 && other != rank) moves_.emplace_back(other, machine_.slot(before));
    exchange(rank, place);
    loads_.move(moves_);
  }

  // Undoes the last swap.
  void swap_back(Index rank, Index before) {
    exchange(rank, before);
    loads_.undo();
  }

  // The state of each place.
  void exchange(Index rank, Index place) {
    const Index other = occupant_[place], before = place_[rank];
    put(rank, place);
    occupant_[before] = -1;
    if (other >= 0 && other != rank) put(other, before);
  }

  void put(Index rank, Index place) {
    place_[rank] = place;
    occupant_[place] = rank;
    left_ -= std::min(left_, 2 * (traffic_.rows.last(rank) - traffic_.rows.first(rank)) + 1);
  }

  // Ranks go near their partners if the total cost falls and the highest load does not rise.
  void draw_together() {
    for (bool is_better = true; is_better && left_ > 0;) {
      is_better = false;
      for (Index rank = 0; rank < static_cast<Index>(place_.size()) && left_ > 0; rank++)
        for (const Index place : places_for(rank)) is_better = draws(rank, place) || is_better;
      if (!is_small()) break;
    }
  }

  bool draws(Index rank, Index place) {
    const Index other = occupant_[place], before = place_[rank];
    if (place == before) return false;
    const double highest = loads_.highest(), cost = cost_of_both(rank, other);
    swap(rank, place);
    if (cost_of_both(rank, other) < cost * (1 - kWorthwhile) && loads_.highest() <= highest) return true;
    swap_back(rank, before);
    return false;
  }

  // The traffic between the two counts twice: it costs the same before and after.
  [[nodiscard]] double cost_of_both(Index first, Index second) const {
    double sum = 0;
    for (const Index rank : {first, second}) {
      if (rank < 0) continue;
      const Index group = machine_.group(place_[rank]);
      for (std::size_t i = traffic_.rows.first(rank); i < traffic_.rows.last(rank); i++)
        sum += machine_.between(group, machine_.group(place_[traffic_.rows.adjacent[i]]))
                   .of(traffic_.bytes[i], traffic_.messages.empty() ? 0 : traffic_.messages[i]);
    }
    return sum;
  }

  const Traffic &traffic_;
  const Machine &machine_;
  Random &random_;
  Indices &place_;
  Indices occupant_;
  Loads loads_;
  Loads::Moves moves_;
  std::size_t left_;
};

}  // namespace

double highest_load(const Traffic &traffic, const Links &links, const Machine &machine, const Indices &place) {
  return Loads(traffic, links, slots_of(machine, place)).highest();
}

void relieve_bottleneck(const Traffic &traffic, const Links &links, const Machine &machine, const Effort &effort,
                        Random &random, Indices &place) {
  if (links.count() > 0) BottleneckSearch(traffic, links, machine, effort, random, place).run();
}

}  // namespace rankwise::placement
