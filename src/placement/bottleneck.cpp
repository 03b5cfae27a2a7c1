#include "bottleneck.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "exchanges.h"
#include "kinds.h"
#include "swaps.h"

namespace rankwise::placement {

namespace {

constexpr Index kFew = 32;             // slots: all are tried
constexpr int kMembers = 12;           // ranks that are tried to relieve a link
constexpr int kPlaces = 24;            // that each of them tries, half of them near partners
constexpr std::size_t kPairs = 48;     // of objects of a level that are tried
constexpr Index kMostSlots = 64;       // of an object that is exchanged
constexpr int kPatience = 6;           // searches in a row without success
constexpr double kWorthwhile = 1e-12;  // less may be rounding
constexpr std::size_t kBudgetOfEdge = 400, kLeastBudget = 4000000;  // edges moved
constexpr std::size_t kShorter = 30;  // times, if the cost is limited: what can be gained is soon found
constexpr int kLimitedRounds = 2;     // ranks that go near their partners leave room for further relief

// The objects of a level.
struct Objects {
  Indices begins;  // place of the first slot of each; the last entry is the end of the last one
  Indices kind;
  std::vector<Indices> of_kind;
};

class BottleneckSearch {
 public:
  BottleneckSearch(const Traffic &traffic, const Links &links, const Machine &machine, const Effort &effort,
                   double limit, Random &random, Indices &place)
      : traffic_(traffic),
        machine_(machine),
        limit_(limit),
        is_limited_(std::isfinite(limit)),
        cost_(is_limited_ ? cost_of(traffic, machine, place) : 0),
        random_(random),
        place_(place),
        has_moved_(place.size(), 0),
        exchanges_(traffic, links, machine, place),
        budget_((traffic.rows.adjacent.size() * kBudgetOfEdge + kLeastBudget) * effort.rounds /
                (is_limited_ ? kShorter : 1)) {
    if (is_limited_) find_objects();
  }

  void run() {
    if (is_limited_) keep();
    for (int round = 0; round < (is_limited_ ? kLimitedRounds : 1); round++) {
      for (int failures = 0; failures < (is_small() ? 1 : kPatience) && !is_exhausted();)
        failures = relieve_once() ? 0 : failures + 1;
      draw_together();
    }
    if (is_limited_) take_kept();
  }

 private:
  struct State {
    double excess;  // of the cost, over its limit
    double highest, squares;

    [[nodiscard]] bool is_better_than(const State &other) const {
      if (excess < other.excess * (1 - kWorthwhile)) return true;
      if (excess > other.excess) return false;
      if (highest < other.highest * (1 - kWorthwhile)) return true;
      return highest <= other.highest && squares < other.squares * (1 - kWorthwhile);
    }
  };

  // Of a placement: excess, highest load, cost.
  using Quality = std::tuple<double, double, double>;

  // A rank and a place, or two objects of a level; what follows from their exchange.
  static constexpr int kSingle = -1;
  struct Step {
    int level;
    Index first, second;
    State state;
    double cost;
  };

  [[nodiscard]] const Loads &loads() const { return exchanges_.loads(); }
  [[nodiscard]] State state() const { return {excess(cost_), loads().highest(), loads().squares()}; }
  [[nodiscard]] double excess(double cost) const { return is_limited_ ? std::max(0.0, cost - limit_) : 0; }
  [[nodiscard]] bool is_small() const { return machine_.slots() <= kFew; }
  [[nodiscard]] bool is_exhausted() const { return exchanges_.work() + looked_at_ >= budget_; }

  // Remembers the placement if it is better than before.
  void keep() {
    const Quality now{excess(cost_), loads().highest(), cost_};
    if (!kept_.empty() && now >= quality_) return;
    kept_ = place_;
    quality_ = now;
  }

  // The last steps may have raised the cost without any effect on the highest load.
  void take_kept() {
    keep();
    place_ = kept_;
  }

  // Objects of several slots, whose exchange hardly changes the cost.
  void find_objects() {
    for (int level = 0; level < machine_.depth(); level++) {
      Objects objects{machine_.parts(0, machine_.slots(), level), {}, {}};
      if (!has_size(objects.begins)) continue;
      objects.kind = kinds(machine_, objects.begins);
      for (std::size_t i = 0; i < objects.kind.size(); i++) {
        const auto kind = static_cast<std::size_t>(objects.kind[i]);
        if (kind >= objects.of_kind.size()) objects.of_kind.resize(kind + 1);
        objects.of_kind[kind].push_back(static_cast<Index>(i));
      }
      objects_.push_back(std::move(objects));
    }
  }

  // Whether the objects of a level are neither single slots nor large.
  static bool has_size(const Indices &begins) {
    Index most = 0;
    for (std::size_t i = 0; i + 1 < begins.size(); i++) most = std::max(most, begins[i + 1] - begins[i]);
    return most > 1 && most <= kMostSlots;
  }

  // The best of the exchanges that are tried; false if none is good. If single ranks can't relieve the link, whole
  // objects may.
  bool relieve_once() {
    Step best{kSingle, -1, -1, state(), cost_};
    const Indices ranks = members();
    for (const Index rank : ranks)
      for (const Index place : places_for(rank)) consider({kSingle, rank, place, {}, 0}, best);
    for (std::size_t level = 0; level < objects_.size() && best.first < 0; level++)
      for (const auto &[mine, other] : pairs_of_objects(objects_[level], ranks))
        consider({static_cast<int>(level), mine, other, {}, 0}, best);
    if (best.first < 0) return false;
    exchange(best);
    for (const Index rank : exchanges_.last()) has_moved_[rank] = 1;
    cost_ = best.cost;
    if (is_limited_) keep();
    return true;
  }

  void exchange(const Step &step) {
    if (step.level == kSingle) {
      exchanges_.swap(step.first, step.second);
      return;
    }
    const Indices &begins = objects_[step.level].begins;
    exchanges_.swap_objects(begins[step.first], begins[step.second], begins[step.first + 1] - begins[step.first]);
  }

  // Tries an exchange, and keeps it in mind if it is the best so far. Where the cost is limited, it must relieve the
  // most loaded link: what only spreads the load on others would use up the limit.
  void consider(Step step, Step &best) {
    const Index hottest = loads().most_loaded();
    const double load = loads().load(hottest);
    exchange(step);
    step.state = {0, loads().highest(), loads().squares()};
    step.cost = cost_;
    const bool is_relief = !is_limited_ || loads().load(hottest) < load * (1 - kWorthwhile);
    const bool is_promising =
        best.state.excess > 0 || (is_relief && step.state.is_better_than({0, best.state.highest, best.state.squares}));
    if (is_limited_ && is_promising) step.cost += exchanges_.cost_of_last();
    exchanges_.undo();
    if (!is_promising) return;
    if (is_limited_) step.cost -= exchanges_.cost_of_last();
    step.state.excess = excess(step.cost);
    if (step.state.is_better_than(best.state)) best = step;
  }

  // Ranks whose bytes take the most loaded link; if they are many, a sample of those with most bytes.
  Indices members() {
    std::vector<double> share(place_.size(), 0);
    Indices candidates;
    loads().each_over(loads().most_loaded(), [&](Index first, Index second, double bytes) {
      for (const Index rank : {first, second}) {
        if (share[rank] <= 0) candidates.push_back(rank);
        share[rank] += bytes;
      }
    });
    looked_at_ += traffic_.rows.adjacent.size();
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

  // Objects around some ranks, each with all others of its kind or, if they are many, with some of them.
  std::vector<std::pair<Index, Index>> pairs_of_objects(const Objects &objects, const Indices &ranks) {
    Indices around;
    for (const Index rank : ranks)
      around.push_back(static_cast<Index>(std::upper_bound(objects.begins.begin(), objects.begins.end(), place_[rank]) -
                                          objects.begins.begin() - 1));
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
    std::vector<std::pair<Index, Index>> pairs;
    for (const Index mine : around) {
      Indices others = objects.of_kind[objects.kind[mine]];
      std::erase(others, mine);
      const std::size_t most = kPairs / around.size() + 1;
      if (!is_small() && others.size() > most) {
        random_.shuffle(others);
        others.resize(most);
      }
      for (const Index other : others) pairs.emplace_back(mine, other);
    }
    return pairs;
  }

  // A place of the group of a place, or of a group near it.
  Index near(Index place) {
    Index group = machine_.group(place);
    if (machine_.network() || machine_.first(group + 1) - machine_.first(group) == 1)
      group = std::clamp(group + random_.below(3) - 1, 0, machine_.groups() - 1);
    return machine_.first(group) + random_.below(machine_.first(group + 1) - machine_.first(group));
  }

  // Ranks go near their partners if the total cost falls and the highest load does not rise. In the placement of a
  // limited cost only ranks that have moved can be far from their partners, unless all places are tried.
  void draw_together() {
    for (bool is_better = true; is_better && !is_exhausted();) {
      is_better = false;
      for (Index rank = 0; rank < static_cast<Index>(place_.size()) && !is_exhausted(); rank++) {
        if (is_limited_ && !is_small() && !has_moved_[rank]) continue;
        for (const Index place : places_for(rank)) is_better = draws(rank, place) || is_better;
      }
      if (!is_small()) break;
    }
  }

  bool draws(Index rank, Index place) {
    if (place == place_[rank]) return false;
    const double highest = loads().highest();
    exchanges_.swap(rank, place);
    const double then = exchanges_.cost_of_last();
    if (loads().highest() <= highest) {
      exchanges_.undo();
      const double now = exchanges_.cost_of_last();
      if (then >= now * (1 - kWorthwhile)) return false;
      exchanges_.swap(rank, place);
      cost_ += then - now;
      return true;
    }
    exchanges_.undo();
    return false;
  }

  const Traffic &traffic_;
  const Machine &machine_;
  const double limit_;
  const bool is_limited_;
  double cost_;  // if it is limited
  Random &random_;
  Indices &place_;
  std::vector<Objects> objects_;         // of each level, if the cost is limited
  std::vector<std::uint8_t> has_moved_;  // to relieve a link
  Exchanges exchanges_;
  Indices kept_;  // the best placement so far, if the cost is limited
  Quality quality_;
  std::size_t budget_;  // edges moved or looked at
  std::size_t looked_at_ = 0;
};

}  // namespace

double highest_load(const Traffic &traffic, const Links &links, const Machine &machine, const Indices &place) {
  return Loads(traffic, links, slots_of(machine, place)).highest();
}

void relieve_bottleneck(const Traffic &traffic, const Links &links, const Machine &machine, const Effort &effort,
                        double limit, Random &random, Indices &place) {
  if (links.count() > 0) BottleneckSearch(traffic, links, machine, effort, limit, random, place).run();
}

}  // namespace rankwise::placement
