#include "engine.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "bottleneck.h"
#include "bound.h"
#include "effort.h"
#include "fewswaps.h"
#include "layouts.h"
#include "links.h"
#include "moves.h"
#include "node_swaps.h"
#include "parallel.h"
#include "progress.h"
#include "random.h"
#include "recursion.h"
#include "recursive_bisection.h"
#include "repartition.h"
#include "swaps.h"

namespace rankwise::placement {

namespace {

constexpr double kHardlyCheaper = 0.9995;
constexpr double kRounding = 1e-12;
constexpr Index kSpareShare = 4;
constexpr Index kFew = 16;              // slots
constexpr Index kMostShuffles = 32;     // to relieve the most loaded link
constexpr Index kPairsTried = 1024;     // of slots, in all starts together
constexpr std::size_t kMany = 1000000;  // entries: swaps take long
constexpr std::size_t kHub = 4;         // times as many partners as the mean
constexpr double kWithinReach = 1.1;    // a worse candidate is ignored: swaps alone hardly ever make up for it

struct Candidate {
  Indices place;
  double cost;
  double load = 0;  // of the most loaded link, where that matters
};

// Whether a rank has far more partners than the others.
bool has_hubs(const Rows &rows) {
  std::size_t most = 0;
  for (Index rank = 0; rank < rows.size(); rank++) most = std::max(most, rows.last(rank) - rows.first(rank));
  return most * static_cast<std::size_t>(rows.size()) > kHub * rows.adjacent.size();
}

int threads_of(const rankwise_wishes &wishes) {
  if (wishes.threads > 0) return wishes.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

class Engine {
 public:
  Engine(const Traffic &traffic, const rankwise_slots &slots, const rankwise_wishes &wishes, const Objective &objective)
      : traffic_(traffic),
        slots_(slots),
        node_(slots.network ? slots.network->level : wishes.node),
        network_(slots.network ? network_of(*slots.network) : nullptr),
        machine_(slots, network_.get()),
        effort_(effort_for(wishes.effort, traffic.rows.size(), slots.network != nullptr, are_few(machine_))),
        extra_(objective.extra),
        seed_(wishes.seed),
        parallel_(threads_of(wishes)),
        progress_(wishes.progress),
        place_of_(slots.slots) {
    effort_.has_hubs = has_hubs(traffic.rows);
    for (Index place = 0; place < slots.slots; place++) place_of_[machine_.slot(place)] = place;
    Indices order(traffic.rows.size());
    std::iota(order.begin(), order.end(), 0);
    natural_ = placed(order);
    if (wishes.present) present_ = placed({wishes.present, wishes.present + order.size()});
    if (objective.is_load) {
      links_ = std::make_unique<Links>(slots, network_.get());
      links_->keep_ways();
    }
  }

  Found run() {
    Candidate best = cheapest();
    if (links_) {
      if (std::isfinite(extra_)) limit_ = best.cost * (1 + extra_) * (1 + kRounding);
      best = least_loaded(std::move(best));
    }
    if (present_) best = nearest(*present_, std::move(best));
    return {slots_of(best), costs(best, &Candidate::cost), costs(best, &Candidate::load)};
  }

 private:
  [[nodiscard]] rankwise_costs costs(const Candidate &found, double Candidate::*value) const {
    return {found.*value, natural_.*value, present_ ? (*present_).*value : std::nan("")};
  }

  [[nodiscard]] Indices slots_of(const Candidate &candidate) const {
    Indices slot(candidate.place.size());
    std::transform(candidate.place.begin(), candidate.place.end(), slot.begin(),
                   [this](Index place) { return machine_.slot(place); });
    return slot;
  }

  // Of equally good placements, takes that with the fewest moves from the present one. Moves that gain nothing are
  // avoided, and so are exchanges of equivalent slots.
  [[nodiscard]] Candidate nearest(const Candidate &present, Candidate best) const {
    if (!is_better(best, present)) return present;
    // The nodes of a network are not equivalent.
    const Parts parts(slots_, network_ ? node_ + 1 : 0);
    const Indices now = slots_of(present);
    const Indices near = minimal_moves(parts, slots_of(best), now);
    const Indices apart = exchanged_groups(traffic_, parts, node_ + 1, near, now);
    const Candidate limit = best;
    for (const Indices &slots : {near, minimal_moves(parts, apart, now)}) {
      Candidate other = placed(slots);
      if (links_) find_load(other);
      if (moves(present, other) < moves(present, best) && is_as_good(other, limit) && is_better(other, present))
        best = std::move(other);
    }
    return best;
  }

  static Index moves(const Candidate &before, const Candidate &after) {
    return std::transform_reduce(before.place.begin(), before.place.end(), after.place.begin(), Index{0}, std::plus<>(),
                                 [](Index first, Index second) { return first != second ? 1 : 0; });
  }

  // Sums of the same numbers in another order differ in their last digits.
  static bool is_as_good(const Candidate &first, const Candidate &second) {
    return first.cost <= second.cost * (1 + kRounding) && first.load <= second.load * (1 + kRounding);
  }

  Candidate cheapest() {
    Candidate before = present_ && present_->cost < natural_.cost ? *present_ : natural_;
    const bool is_filled_evenly = is_spacious() && !network_;
    progress_.begin(effort_.seeds * (is_filled_evenly ? 2 : 1) + 2);
    if (before.cost > 0) {
      if (auto layout = best_layout(traffic_, machine_)) take(before, laid_out(std::move(*layout)));
    }
    if (are_few(machine_)) least_ = least_cost(traffic_, machine_);
    Candidate best = before;
    if (may_be_cheaper(before)) {
      for (int number = 0; number < effort_.seeds && may_be_cheaper(best); number++) {
        const std::uint64_t seed = Random::of_part(seed_, number + 1);
        consider(best, divided(Filling::kFewest, seed), seed);
        if (network_ && machine_.slots() <= kFew) take(best, improved(shuffled(seed), seed));
        progress_.end_step();
        if (!is_filled_evenly) continue;
        consider(best, divided(Filling::kEven, seed), seed);
        progress_.end_step();
      }
      if (are_few(machine_) && effort_.annealing > 0 && may_be_cheaper(best)) take(best, annealed(best));
      if (effort_.repartitions.patience > 0 && !network_) take(best, repartitioned(best));
      progress_.end_step();
      if (may_be_cheaper(best) && (before.cost == best.cost || traffic_.rows.adjacent.size() <= kMany))
        consider(best, before, Random::of_part(seed_, 0));
    }
    return best;
  }

  // Improves several placements: the cheapest one, the natural order, the present placement and, if that takes little
  // time, some random ones.
  Candidate least_loaded(Candidate cheapest) {
    find_load(natural_);
    find_load(cheapest);
    std::vector<Candidate> starts{std::move(cheapest), natural_};
    if (present_) {
      find_load(*present_);
      starts.push_back(*present_);
    }
    const Index shuffles = kPairsTried / std::max(1, machine_.slots() * machine_.slots());
    for (Index number = 0; number < std::min(shuffles, kMostShuffles); number++)
      starts.push_back(shuffled(Random::of_part(seed_, number + 1)));
    Candidate best = natural_;
    Random random(seed_);
    for (Candidate &start : starts) {
      find_load(start);
      if (start.cost > limit_ && shuffles == 0) {  // many slots: it would take long to come below the limit
        take(best, std::move(start));
        continue;
      }
      Candidate relieved = start;
      relieve_bottleneck(traffic_, *links_, machine_, effort_, limit_, random, relieved.place);
      relieved.cost = cost_of(traffic_, machine_, relieved.place);
      find_load(relieved);
      take(best, std::move(start));
      take(best, std::move(relieved));
    }
    return best;
  }

  void find_load(Candidate &candidate) const {
    candidate.load = highest_load(traffic_, *links_, machine_, candidate.place);
  }

  // With few slots to spare, all parts are nearly full either way.
  [[nodiscard]] bool is_spacious() const {
    const Index ranks = traffic_.rows.size();
    return machine_.slots() - ranks >= ranks / kSpareShare;
  }

  [[nodiscard]] Candidate divided(Filling filling, std::uint64_t seed) {
    if (network_) return with_cost(place_by_bisection(traffic_, machine_, effort_, seed, parallel_, progress_));
    return with_cost(place_by_level(traffic_, machine_, filling, effort_, seed, parallel_, progress_));
  }

  // Inside nodes, the best method is unknown.
  [[nodiscard]] Candidate laid_out(Indices place) {
    if (!network_ || machine_.depth() < 2) return with_cost(std::move(place));
    Indices node(place.size());
    std::transform(place.begin(), place.end(), node.begin(),
                   [this](Index at) { return machine_.node(machine_.group(at)); });
    Candidate laid = with_cost(std::move(place));
    take(laid, with_cost(place_in_nodes(traffic_, machine_, node, effort_, seed_, parallel_)));
    return laid;
  }

  [[nodiscard]] Candidate repartitioned(const Candidate &candidate) const {
    const std::uint64_t seed = Random::of_part(seed_, 0);
    Indices place = candidate.place;
    repartition_objects(traffic_, machine_, effort_, seed, place);
    return improved(with_cost(std::move(place)), seed);
  }

  [[nodiscard]] Candidate annealed(const Candidate &candidate) const {
    const std::uint64_t seed = Random::of_part(seed_, 0);
    Random random(seed);
    Indices place = candidate.place;
    anneal(traffic_, machine_, effort_.annealing, random, place);
    return improved(with_cost(std::move(place)), seed);
  }

  [[nodiscard]] bool may_be_cheaper(const Candidate &candidate) const {
    return candidate.cost > least_ * (1 + kRounding);
  }

  // Few ranks: swaps alone find a good placement from anywhere.
  [[nodiscard]] Candidate shuffled(std::uint64_t seed) const {
    Indices place(machine_.slots());
    std::iota(place.begin(), place.end(), 0);
    Random(seed).shuffle(place);
    place.resize(traffic_.rows.size());
    return with_cost(std::move(place));
  }

  [[nodiscard]] Candidate with_cost(Indices place) const {
    const double cost = cost_of(traffic_, machine_, place);
    return {std::move(place), cost};
  }

  [[nodiscard]] Candidate placed(const Indices &slots) const {
    Indices place(slots.size());
    std::transform(slots.begin(), slots.end(), place.begin(), [this](Index slot) { return place_of_[slot]; });
    return with_cost(std::move(place));
  }

  [[nodiscard]] Candidate improved(Candidate candidate, std::uint64_t seed) const {
    Random random(seed);
    for (int round = 0; round < effort_.rounds; round++) {
      Candidate next = candidate;
      if (network_) swap_nodes(traffic_, machine_, effort_, random, next.place);
      search_swaps(traffic_, machine_, effort_, random, next.place);
      next.cost = cost_of(traffic_, machine_, next.place);
      const bool is_last = next.cost > candidate.cost * kHardlyCheaper;
      take(candidate, std::move(next));
      if (is_last) break;
    }
    return candidate;
  }

  // Keeps the result, unless it costs too much.
  void consider(Candidate &best, Candidate other, std::uint64_t seed) const {
    if (other.cost < best.cost * kWithinReach) take(best, improved(std::move(other), seed));
  }

  [[nodiscard]] bool is_better(const Candidate &first, const Candidate &second) const {
    if (excess(first) != excess(second)) return excess(first) < excess(second);
    return first.load < second.load || (first.load == second.load && first.cost < second.cost);
  }

  [[nodiscard]] double excess(const Candidate &candidate) const { return std::max(0.0, candidate.cost - limit_); }

  void take(Candidate &best, Candidate other) const {
    if (is_better(other, best)) best = std::move(other);
  }

  const Traffic &traffic_;
  const rankwise_slots &slots_;
  const int node_;  // column of slots_.object that has the nodes
  std::unique_ptr<const Network> network_;
  Machine machine_;
  Effort effort_;
  double least_ = 0;  // no placement costs less
  const double extra_;
  double limit_ = std::numeric_limits<double>::infinity();  // of the sum, while the load is reduced
  std::uint64_t seed_;
  Parallel parallel_;
  Progress progress_;
  Indices place_of_;              // of the caller's slots
  std::unique_ptr<Links> links_;  // if their load matters
  Candidate natural_;
  std::optional<Candidate> present_;
};

}  // namespace

Found find_placement(const Traffic &traffic, const rankwise_slots &slots, const rankwise_wishes &wishes,
                     const Objective &objective) {
  return Engine(traffic, slots, wishes, objective).run();
}

}  // namespace rankwise::placement
