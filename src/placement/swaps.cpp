#include "swaps.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "fewswaps.h"
#include "nearness.h"
#include "rounds.h"

namespace rankwise::placement {

namespace {

// Edges visited in the whole search.
constexpr std::size_t kBudgetOfEdge = 300, kLeastBudget = 1000000;
// Ranks come in random order: if so many edges in a row lead to no swap, further swaps are unlikely.
constexpr std::size_t kPatienceOfEdge = 6, kLeastPatience = 200000;
// If work is saved.
constexpr std::size_t kThriftyBudgetOfEdge = 6, kThriftyLeastBudget = 200000, kThriftyPatience = 50000;
constexpr double kWorthwhile = 1e-12;  // of the rank's cost: less may be rounding, which could go back and forth

struct Swap {
  double gain;
  Index place;
};

class Search {
 public:
  Search(const Traffic &traffic, const Machine &machine, const Effort &effort, const Indices &kind, Indices &place)
      : traffic_(traffic),
        machine_(machine),
        effort_(effort),
        kind_(kind),
        place_(place),
        occupant_(machine.slots(), -1),
        group_(place.size()),
        traffic_to_(machine.groups(), 0),
        budget_(effort.is_thrifty ? traffic.rows.adjacent.size() * kThriftyBudgetOfEdge + kThriftyLeastBudget
                                  : traffic.rows.adjacent.size() * kBudgetOfEdge + kLeastBudget),
        patience_(effort.is_thrifty ? traffic.rows.adjacent.size() + kThriftyPatience
                                    : traffic.rows.adjacent.size() * kPatienceOfEdge + kLeastPatience) {
    for (Index rank = 0; rank < static_cast<Index>(place.size()); rank++) {
      occupant_[place[rank]] = rank;
      group_[rank] = machine.group(place[rank]);
    }
    if (!machine.network()) {
      nearness_.emplace(traffic, machine, group_);
      return;
    }
    for (Index group = machine.groups(); group-- > 0;) {
      const auto node = static_cast<std::size_t>(machine.node(group));
      if (node >= first_of_node_.size()) first_of_node_.resize(node + 1, -1);
      first_of_node_[node] = group;
    }
  }

  void run(Random &random) {
    in_rounds(traffic_, place_.size(), effort_.search_rounds, random, [this](Index rank) -> std::optional<Moved> {
      if (looked_at_ > budget_ || looked_at_ - last_swap_ > patience_) return std::nullopt;
      const Swap best = best_for(rank);
      if (best.gain <= 0) return Moved{};
      last_swap_ = looked_at_;
      const Moved moved{rank, occupant_[best.place]};
      swap(rank, best.place);
      return moved;
    });
  }

 private:
  [[nodiscard]] double messages(std::size_t entry) const {
    return traffic_.messages.empty() ? 0 : traffic_.messages[entry];
  }

  [[nodiscard]] Price price(Index first, Index second) const { return machine_.between(first, second); }

  // The cost of a rank's messages if it is in that group.
  double cost(Index rank, Index group) {
    double sum = 0;
    for (std::size_t i = traffic_.rows.first(rank); i < traffic_.rows.last(rank); i++)
      sum += price(group, group_[traffic_.rows.adjacent[i]]).of(traffic_.bytes[i], messages(i));
    looked_at_ += traffic_.rows.last(rank) - traffic_.rows.first(rank);
    return sum;
  }

  // The other groups with which a rank has most traffic.
  Indices partners(Index rank) {
    Indices groups;
    for (std::size_t i = traffic_.rows.first(rank); i < traffic_.rows.last(rank); i++) {
      const Index group = group_[traffic_.rows.adjacent[i]];
      const double weight = traffic_.bytes[i] + messages(i);
      if (group == group_[rank] || weight <= 0) continue;
      if (traffic_to_[group] == 0) groups.push_back(group);
      traffic_to_[group] += weight;
    }
    const auto count = std::min<std::size_t>(groups.size(), effort_.search_partners);
    std::partial_sort(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(count), groups.end(),
                      [this](Index a, Index b) {
                        return traffic_to_[a] != traffic_to_[b] ? traffic_to_[a] > traffic_to_[b] : a < b;
                      });
    for (const Index group : groups) traffic_to_[group] = 0;
    groups.resize(count);
    if (machine_.network()) add_near(groups, group_[rank]);
    return groups;
  }

  // The groups of the nodes nearest to the nodes of some groups, without one group.
  void add_near(Indices &groups, Index mine) const {
    for (std::size_t i = 0, count = groups.size(); i < count; i++) {
      for (const Index node : machine_.network()->near(machine_.node(groups[i]))) {
        if (node >= static_cast<Index>(first_of_node_.size()) || first_of_node_[node] < 0) continue;
        for (Index group = first_of_node_[node]; group < machine_.groups() && machine_.node(group) == node; group++)
          if (group != mine) groups.push_back(group);
      }
    }
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  }

  [[nodiscard]] bool may_go(Index rank, Index place) const {
    return kind_.empty() || kind_[place_[rank]] == kind_[place];
  }

  Swap best_for(Index rank) {
    Swap best{0, -1};
    if (nearness_ && !nearness_->may_save(rank, 0)) return best;
    const Indices groups = partners(rank);
    if (groups.empty()) return best;
    const Index mine = group_[rank];
    const double now = cost(rank, mine);
    for (const Index group : groups) {
      if (most_saved(rank, mine, group) <= now * kWorthwhile) continue;
      const double gain = now - cost(rank, group);
      if (gain <= now * kWorthwhile) continue;
      bool is_free_tried = false;
      for (Index place = machine_.first(group); place < machine_.first(group + 1); place++) {
        const Index other = occupant_[place];
        if ((other < 0 && is_free_tried) || !may_go(rank, place)) continue;
        is_free_tried = is_free_tried || other < 0;
        looked_at_ += machine_.depth();
        if (other >= 0 && gain + most_saved(other, group, mine) <= best.gain) continue;
        const double total = gain + (other < 0 ? 0 : gain_of_other(other, rank, group, mine));
        if (total > best.gain && total > now * kWorthwhile) best = {total, place};
      }
    }
    return best;
  }

  // The upper bound of a rank's savings in another group.
  [[nodiscard]] double most_saved(Index rank, Index from, Index to) const {
    return nearness_ ? nearness_->most_saved(rank, machine_.common(from, to)) : std::numeric_limits<double>::infinity();
  }

  // The gain of the other rank if it goes from its group to the group of `rank`, which comes in its place.
  double gain_of_other(Index other, Index rank, Index from, Index to) {
    const int shared = machine_.common(from, to);
    double gain = 0;
    for (std::size_t i = traffic_.rows.first(other); i < traffic_.rows.last(other); i++) {
      const Index partner = traffic_.rows.adjacent[i];
      const double bytes = traffic_.bytes[i], count = messages(i);
      if (partner == rank) {  // the two stay as far apart, but `rank` has counted them as together
        gain -= price(from, to).of(bytes, count) - price(from, from).of(bytes, count);
        continue;
      }
      // A rank with less in common with one of the two groups than they have with each other is as far from the other.
      const int near = machine_.common(from, group_[partner]);
      if (near < shared) continue;
      if (machine_.network() && shared == 0) {
        gain += (price(from, group_[partner]) - price(to, group_[partner])).of(bytes, count);
        continue;
      }
      const int then = near > shared ? shared : machine_.common(to, group_[partner]);
      gain += machine_.price(near).of(bytes, count) - machine_.price(then).of(bytes, count);
    }
    looked_at_ += traffic_.rows.last(other) - traffic_.rows.first(other);
    return gain;
  }

  void swap(Index rank, Index place) {
    const Index other = occupant_[place], before = place_[rank];
    put(rank, place);
    occupant_[before] = -1;
    if (other >= 0) put(other, before);
  }

  void put(Index rank, Index place) {
    if (nearness_) nearness_->move(rank, machine_.group(place));
    place_[rank] = place;
    occupant_[place] = rank;
    group_[rank] = machine_.group(place);
  }

  const Traffic &traffic_;
  const Machine &machine_;
  const Effort &effort_;
  const Indices &kind_;
  Indices first_of_node_;  // of the groups of each node of the network
  Indices &place_;
  Indices occupant_;
  Indices group_;
  std::vector<double> traffic_to_;
  std::optional<Nearness> nearness_;  // in a tree
  std::size_t budget_, patience_;
  std::size_t looked_at_ = 0;
  std::size_t last_swap_ = 0;  // edges visited until then
};

}  // namespace

double cost_of(const Traffic &traffic, const Machine &machine, const Indices &place) {
  double sum = 0;
  for (Index rank = 0; rank < traffic.rows.size(); rank++) {
    for (std::size_t i = traffic.rows.first(rank); i < traffic.rows.last(rank); i++) {
      const Index other = traffic.rows.adjacent[i];
      if (other < rank) continue;
      sum += machine.between(machine.group(place[rank]), machine.group(place[other]))
                 .of(traffic.bytes[i], traffic.messages.empty() ? 0 : traffic.messages[i]);
    }
  }
  return sum;
}

void search_swaps(const Traffic &traffic, const Machine &machine, const Effort &effort, Random &random, Indices &place,
                  const Indices &kind) {
  if (are_few(machine)) return search_few_swaps(traffic, machine, effort, random, place, kind);
  Search(traffic, machine, effort, kind, place).run(random);
}

}  // namespace rankwise::placement
