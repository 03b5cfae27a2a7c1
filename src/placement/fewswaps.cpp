#include "fewswaps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "rounds.h"

namespace rankwise::placement {

namespace {

constexpr Index kFew = 64;             // slots
constexpr double kWorthwhile = 1e-12;  // of the rank's cost: less may be rounding, which could go back and forth

constexpr double kHot = 0.2, kCold = 0.02;  // losses that are accepted, at the start and at the end, as a share of a
                                            // rank's cost
constexpr int kStages = 64, kLosses = 256;

using Line = std::array<double, kFew>;  // a number for each rank, group or place; of one length, for the compiler
using Square = std::array<Line, kFew>;

// Costs of bytes, or of messages.
struct Toll {
  Toll(const Traffic &traffic, const std::vector<double> &per_entry, const Machine &machine, double Price::*price) {
    for (Index rank = 0; rank < traffic.rows.size(); rank++)
      for (std::size_t i = traffic.rows.first(rank); i < traffic.rows.last(rank); i++)
        sent[rank][traffic.rows.adjacent[i]] = per_entry[i];
    for (Index from = 0; from < machine.groups(); from++)
      for (Index to = 0; to < machine.groups(); to++) apart[from][to] = machine.between(from, to).*price;
    for (Index from = 0; from < machine.groups(); from++)
      for (Index to = 0; to < machine.groups(); to++)
        seeming[from][to] = 2 * apart[from][to] - apart[from][from] - apart[to][to];
  }

  Square sent{};     // between ranks
  Square apart{};    // between groups
  Square seeming{};  // apparent gain of two that change places: each counts the other as in its group
};

class Places {
 public:
  Places(const Traffic &traffic, const Machine &machine, Indices &place)
      : traffic_(traffic), machine_(machine), place_(place), cost_(place.size(), Line{}) {
    tolls_.emplace_back(traffic, traffic.bytes, machine, &Price::byte);
    if (!traffic.messages.empty()) tolls_.emplace_back(traffic, traffic.messages, machine, &Price::message);
    occupant_.fill(-1);
    for (std::size_t rank = 0; rank < place.size(); rank++) occupant_[place[rank]] = static_cast<Index>(rank);
    for (std::size_t rank = 0; rank < place.size(); rank++)
      for (const Toll &toll : tolls_)
        tell_partners(toll, static_cast<Index>(rank), toll.apart[group(static_cast<Index>(rank))]);
  }

  [[nodiscard]] Index slots() const { return machine_.slots(); }
  [[nodiscard]] Index place(Index rank) const { return place_[rank]; }
  [[nodiscard]] Index group(Index rank) const { return machine_.group(place_[rank]); }
  [[nodiscard]] Index occupant(Index place) const { return occupant_[place]; }
  [[nodiscard]] double cost(Index rank) const { return cost_[rank][group(rank)]; }

  // Savings if a rank goes to a place, and the rank there comes to its place.
  [[nodiscard]] double gain(Index rank, Index place) const {
    const Index from = group(rank), to = machine_.group(place), other = occupant_[place];
    double saved = cost_[rank][from] - cost_[rank][to];
    if (other < 0) return saved;
    saved += cost_[other][to] - cost_[other][from];
    for (const Toll &toll : tolls_) saved -= toll.sent[rank][other] * toll.seeming[from][to];
    return saved;
  }

  void swap(Index rank, Index place) {
    const Index other = occupant_[place], before = place_[rank];
    put(rank, place);
    occupant_[before] = -1;
    if (other >= 0) put(other, before);
  }

 private:
  void put(Index rank, Index place) {
    const Index from = group(rank), to = machine_.group(place);
    place_[rank] = place;
    occupant_[place] = rank;
    for (const Toll &toll : tolls_) {
      Line step;
      for (Index i = 0; i < kFew; i++) step[i] = toll.apart[to][i] - toll.apart[from][i];
      tell_partners(toll, rank, step);
    }
  }

  // Additional cost of a byte in each group.
  void tell_partners(const Toll &toll, Index rank, const Line &step) {
    for (std::size_t i = traffic_.rows.first(rank); i < traffic_.rows.last(rank); i++) {
      const Index partner = traffic_.rows.adjacent[i];
      const double sent = toll.sent[rank][partner];
      Line &cost = cost_[partner];
      for (Index at = 0; at < kFew; at++) cost[at] += sent * step[at];
    }
  }

  const Traffic &traffic_;
  const Machine &machine_;
  Indices &place_;
  std::array<Index, kFew> occupant_;
  std::vector<Toll> tolls_;
  std::vector<Line> cost_;  // of each rank in each group
};

// Quantiles of the exponential distribution: losses are accepted as in a gas (Metropolis et al. 1953).
std::array<double, kLosses> random_losses() {
  std::array<double, kLosses> losses{};
  for (int i = 0; i < kLosses; i++) losses[i] = -std::log((i + 0.5) / kLosses);
  return losses;
}

}  // namespace

bool are_few(const Machine &machine) { return machine.network() && machine.slots() <= kFew; }

void search_few_swaps(const Traffic &traffic, const Machine &machine, const Effort &effort, Random &random,
                      Indices &place, const Indices &kind) {
  Places places(traffic, machine, place);
  in_rounds(traffic, place.size(), effort.search_rounds, random, [&](Index rank) -> std::optional<Moved> {
    double most = places.cost(rank) * kWorthwhile;
    Index best = -1;
    for (Index there = 0; there < places.slots(); there++) {
      if (!kind.empty() && kind[place[rank]] != kind[there]) continue;
      if (const double gain = places.gain(rank, there); gain > most) {
        most = gain;
        best = there;
      }
    }
    if (best < 0) return Moved{};
    const Moved moved{rank, places.occupant(best)};
    places.swap(rank, best);
    return moved;
  });
}

void anneal(const Traffic &traffic, const Machine &machine, int steps, Random &random, Indices &place) {
  const auto ranks = static_cast<Index>(place.size());
  if (ranks < 1) return;
  Places places(traffic, machine, place);
  const std::array<double, kLosses> losses = random_losses();
  double heat = 0;
  for (Index rank = 0; rank < ranks; rank++) heat += kHot * places.cost(rank) / ranks;
  const double cooling = std::pow(kCold / kHot, 1.0 / kStages);
  const int of_swap = static_cast<int>(2 * traffic.rows.adjacent.size()) / ranks;  // its cost in number of trials
  for (int stage = 0; stage < kStages; stage++, heat *= cooling) {
    for (int left = steps / kStages; left > 0; left--) {
      const Index rank = random.below(ranks), there = random.below(places.slots());
      if (there == places.place(rank)) continue;
      if (places.gain(rank, there) <= -heat * losses[random.below(kLosses)]) continue;
      places.swap(rank, there);
      left -= of_swap;
    }
  }
}

}  // namespace rankwise::placement
