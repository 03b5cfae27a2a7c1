#include "repartition.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "parallel.h"
#include "random.h"
#include "recursion.h"
#include "swaps.h"

namespace rankwise::placement {

namespace {

constexpr Index kMostObjects = 4, kMostRanks = 128;  // that are divided at once
constexpr int kMostOfPatience = 2;                   // attempts in all
constexpr Index kLuck = 1024;

// The objects of one level of the machine.
struct Level {
  Level(const Machine &machine, int level) : number(level) {
    for (Index place = 0; place < machine.slots(); place++) {
      const int common = place == 0 ? -1 : machine.common(machine.group(place - 1), machine.group(place));
      if (common < level) parents++;
      if (common <= level) {
        objects.push_back({place, place});
        parent.push_back(parents);
      }
      objects.back().last++;
      object.push_back(static_cast<Index>(objects.size()) - 1);
    }
  }

  int number;
  Index parents = 0;
  std::vector<Object> objects;
  Indices parent;  // of each object
  Indices object;  // of each place
};

class Repartition {
 public:
  Repartition(const Traffic &traffic, const Machine &machine, const Effort &effort, Indices &place)
      : traffic_(traffic),
        machine_(machine),
        effort_(effort),
        place_(place),
        occupant_(machine.slots(), -1),
        own_(place.size(), -1) {
    for (std::size_t rank = 0; rank < place.size(); rank++) occupant_[place[rank]] = static_cast<Index>(rank);
    effort_.bisections = effort.repartitions.bisections;
    effort_.starts = effort.repartitions.starts;
    for (int level = 0; level < machine.depth(); level++) {
      levels_.emplace_back(machine, level);
      improved_.emplace_back(levels_.back().objects.size(), 0);
    }
  }

  // True if the cost fell.
  bool attempt(Random &random) {
    const Level &level = levels_[random.below(machine_.depth())];
    const Index first = level.object[place_[random.below(static_cast<Index>(place_.size()))]];
    const Index wanted = 2 + random.below(kMostObjects - 1);
    const Indices numbers = neighbours(level, first, wanted, random);
    return numbers.size() >= 2 && is_worth_a_try(level, numbers) && place_anew(level, numbers, random);
  }

  // The work so far, in ranks and edges.
  [[nodiscard]] std::int64_t work() const { return work_; }

 private:
  struct Tries {
    int count = 0;
    int since = 0;
  };

  // False if the same objects were tried often enough since one of them has become cheaper.
  bool is_worth_a_try(const Level &level, const Indices &numbers) {
    Tries &tries = tries_[{level.number, numbers}];
    const Indices &improved = improved_[level.number];
    if (std::any_of(numbers.begin(), numbers.end(), [&](Index number) { return improved[number] > tries.since; }))
      tries.count = 0;
    tries.since = improvements_;
    return tries.count++ < effort_.repartitions.tries;
  }

  // An object and others of the same parent: each next one has much traffic with those before, chosen with some
  // randomness.
  Indices neighbours(const Level &level, Index first, Index wanted, Random &random) {
    Indices objects;
    std::vector<double> traffic_to(level.objects.size(), 0);
    Index ranks = 0;
    for (Index next = first; next >= 0 && static_cast<Index>(objects.size()) < wanted;) {
      objects.push_back(next);
      for (const Index rank : ranks_in(level.objects[next])) {
        ranks++;
        for (std::size_t i = traffic_.rows.first(rank); i < traffic_.rows.last(rank); i++)
          traffic_to[level.object[place_[traffic_.rows.adjacent[i]]]] += traffic_.bytes[i] + messages(i);
      }
      if (ranks > kMostRanks) return {};
      for (const Index taken : objects) traffic_to[taken] = 0;
      next = -1;
      double most = 0;
      for (Index other = 0; other < static_cast<Index>(traffic_to.size()); other++) {
        if (traffic_to[other] <= 0 || level.parent[other] != level.parent[first]) continue;
        const double chance = traffic_to[other] * (1 + random.below(kLuck));
        if (chance <= most) continue;
        most = chance;
        next = other;
      }
    }
    std::sort(objects.begin(), objects.end());
    return objects;
  }

  [[nodiscard]] double messages(std::size_t entry) const {
    return traffic_.messages.empty() ? 0 : traffic_.messages[entry];
  }

  [[nodiscard]] Indices ranks_in(Object object) const {
    Indices ranks;
    for (Index at = object.first; at < object.last; at++)
      if (occupant_[at] >= 0) ranks.push_back(occupant_[at]);
    return ranks;
  }

  bool place_anew(const Level &level, const Indices &numbers, Random &random) {
    std::vector<Object> objects;
    Indices ranks, before;
    for (const Index number : numbers) {
      objects.push_back(level.objects[number]);
      for (const Index rank : ranks_in(objects.back())) ranks.push_back(rank);
    }
    random.shuffle(ranks);
    for (const Index rank : ranks) before.push_back(place_[rank]);
    const Traffic inside = among(ranks);
    work_ += static_cast<std::int64_t>(ranks.size() + inside.rows.adjacent.size());
    Indices own(ranks.size()), after(ranks.size());
    std::iota(own.begin(), own.end(), 0);
    place_among(inside, own, machine_, objects, level.number, effort_, random.next(), alone_, after);
    const double cost_before = cost_of(inside, machine_, before), cost_after = cost_of(inside, machine_, after);
    if (cost_after > cost_before) return false;
    for (const Index at : before) occupant_[at] = -1;
    for (std::size_t i = 0; i < ranks.size(); i++) {
      place_[ranks[i]] = after[i];
      occupant_[after[i]] = ranks[i];
    }
    if (cost_after == cost_before) return false;
    improvements_++;
    for (const Level &each : levels_)
      for (const Index at : before) improved_[each.number][each.object[at]] = improvements_;
    return true;
  }

  // The traffic among some ranks. They are numbered by their place among them.
  Traffic among(const Indices &ranks) {
    for (std::size_t i = 0; i < ranks.size(); i++) own_[ranks[i]] = static_cast<Index>(i);
    Traffic made;
    for (const Index rank : ranks) {
      for (std::size_t i = traffic_.rows.first(rank); i < traffic_.rows.last(rank); i++) {
        const Index other = own_[traffic_.rows.adjacent[i]];
        if (other < 0) continue;
        made.rows.adjacent.push_back(other);
        made.bytes.push_back(traffic_.bytes[i]);
        if (!traffic_.messages.empty()) made.messages.push_back(traffic_.messages[i]);
      }
      made.rows.begin.push_back(made.rows.adjacent.size());
    }
    for (const Index rank : ranks) own_[rank] = -1;
    return made;
  }

  const Traffic &traffic_;
  const Machine &machine_;
  Effort effort_;
  Parallel alone_{1};  // starting threads would take longer
  Indices &place_;
  Indices occupant_;
  Indices own_;  // numbers of ranks that are divided, else -1
  std::vector<Level> levels_;
  std::map<std::pair<int, Indices>, Tries> tries_;  // of objects of a level
  std::vector<Indices> improved_;                   // number of the improvement of each object of each level
  Index improvements_ = 0;
  std::int64_t work_ = 0;
};

}  // namespace

void repartition_objects(const Traffic &traffic, const Machine &machine, const Effort &effort, std::uint64_t seed,
                         Indices &place) {
  if (machine.depth() == 0) return;
  Repartition repartition(traffic, machine, effort, place);
  Random random(seed);
  const Repartitions &most = effort.repartitions;
  int since = 0;
  for (int number = 0;
       number < kMostOfPatience * most.patience && since < most.patience && repartition.work() < most.work; number++)
    since = repartition.attempt(random) ? 0 : since + 1;
}

}  // namespace rankwise::placement
