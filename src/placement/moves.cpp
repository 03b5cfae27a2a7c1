#include "moves.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "assignment.h"

namespace rankwise::placement {

namespace {

// An object, and the one that takes its place: so many ranks stay where they are if it does.
struct Gain {
  Index one;
  Index other;
  double ranks;
};

using Gains = std::vector<Gain>;

constexpr std::size_t kMostGains = 2000000;  // of exchanges of groups: more would take longer than to place all ranks

Indices numbered(const Gains &gains, Index Gain::*side, Index &count) {
  Indices known, found;
  for (const Gain &gain : gains) known.push_back(gain.*side);
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (const Gain &gain : gains)
    found.push_back(static_cast<Index>(std::lower_bound(known.begin(), known.end(), gain.*side) - known.begin()));
  count = static_cast<Index>(known.size());
  return found;
}

// Pairs, no two with the same first or second part, whose gains add up to the most.
Gains best_of(const Gains &gains) {
  rankwise_pairs pairs{};
  const Indices row = numbered(gains, &Gain::one, pairs.rows);
  const Indices column = numbered(gains, &Gain::other, pairs.columns);
  pairs.pairs = static_cast<std::int64_t>(gains.size());
  if (pairs.rows == pairs.pairs && pairs.columns == pairs.pairs) return gains;
  std::vector<double> weight;
  for (const Gain &gain : gains) weight.push_back(gain.ranks);
  pairs.row = row.data();
  pairs.column = column.data();
  pairs.weight = weight.data();
  std::vector<std::uint8_t> chosen(gains.size());
  choose(pairs, chosen.data());
  Gains best;
  for (std::size_t i = 0; i < gains.size(); i++)
    if (chosen[i] != 0) best.push_back(gains[i]);
  return best;
}

bool in_order(const Gain &one, const Gain &other) {
  return std::tie(one.one, one.other) < std::tie(other.one, other.other);
}

class Moves {
 public:
  Moves(const Parts &parts, const Indices &found, const Indices &present) : parts_(parts), found_(found) {
    chosen_.resize(static_cast<std::size_t>(parts.last()) + 1);
    Gains stay;
    for (std::size_t rank = 0; rank < found.size(); rank++)
      stay.push_back({parts.object(parts.last(), found[rank]), parts.object(parts.last(), present[rank]), 1});
    for (int level = parts.last(); level > 0; level--) stay = choose_at(level, stay);
  }

  Indices slots() const {
    Indices image{0};
    for (int level = 1; level <= parts_.last(); level++) image = images(level, image);
    Indices slot;
    for (const Index one : found_) slot.push_back(parts_.slot(image[parts_.object(parts_.last(), one)]));
    return slot;
  }

 private:
  // Chooses which objects of a level best take the places of which, for each two objects above them that are alike.
  // Only pairs with a rank that is to be in the one and is in the other matter. Returns what each two gain by that.
  Gains choose_at(int level, const Gains &stay) {
    std::map<std::pair<Index, Index>, Gains> inside;
    for (const Gain &gain : stay) {
      const Index one = parts_.parent(level, gain.one), other = parts_.parent(level, gain.other);
      if (parts_.symmetry_class(level - 1, one) == parts_.symmetry_class(level - 1, other))
        inside[{one, other}].push_back(gain);
    }
    Gains above;
    for (auto &[pair, gains] : inside) {
      std::sort(gains.begin(), gains.end(), in_order);
      Gains best = best_of(gains);
      const double sum = std::accumulate(best.begin(), best.end(), 0.0,
                                         [](double so_far, const Gain &gain) { return so_far + gain.ranks; });
      above.push_back({pair.first, pair.second, sum});
      chosen_[level][pair] = std::move(best);
    }
    return above;
  }

  // What each used object of a level becomes, given what those of the level above become; -1: it is not used.
  Indices images(int level, const Indices &above) const {
    Indices image(parts_.count(level), -1);
    std::vector<std::uint8_t> used(image.size(), 0), taken(image.size(), 0);
    for (const Index slot : found_) used[parts_.object(level, slot)] = 1;
    for (std::size_t one = 0; one < above.size(); one++) {
      if (above[one] < 0) continue;
      const auto gains = chosen_[level].find({static_cast<Index>(one), above[one]});
      if (gains != chosen_[level].end()) {
        for (const Gain &gain : gains->second) {
          image[gain.one] = gain.other;
          taken[gain.other] = 1;
        }
      }
      fill(level, static_cast<Index>(one), above[one], used, taken, image);
    }
    return image;
  }

  // The children of `one` that have no image yet get free ones of `other`, of their own kind.
  void fill(int level, Index one, Index other, const std::vector<std::uint8_t> &used,
            const std::vector<std::uint8_t> &taken, Indices &image) const {
    using OfClass = std::pair<Index, Index>;
    std::vector<OfClass> waiting, free;
    for (Index child = parts_.first_child(level - 1, one); child < parts_.first_child(level - 1, one + 1); child++)
      if (used[child] != 0 && image[child] < 0) waiting.emplace_back(parts_.symmetry_class(level, child), child);
    for (Index child = parts_.first_child(level - 1, other); child < parts_.first_child(level - 1, other + 1); child++)
      if (taken[child] == 0) free.emplace_back(parts_.symmetry_class(level, child), child);
    std::sort(waiting.begin(), waiting.end());
    std::sort(free.begin(), free.end());
    auto next = free.begin();
    for (const auto &[kind, child] : waiting) {
      while (next->first < kind) ++next;
      image[child] = next++->second;
    }
  }

  const Parts &parts_;
  const Indices &found_;
  std::vector<std::map<std::pair<Index, Index>, Gains>> chosen_;  // [level], by the objects above
};

bool sends(const Traffic &traffic, std::size_t edge) {
  return traffic.bytes[edge] > 0 || (!traffic.messages.empty() && traffic.messages[edge] > 0);
}

// The connected components of who sends to whom, each with its ranks in order.
std::vector<Indices> groups_of(const Traffic &traffic) {
  const Rows &rows = traffic.rows;
  Indices group(rows.size(), -1);
  std::vector<Indices> found;
  for (Index first = 0; first < rows.size(); first++) {
    if (group[first] >= 0) continue;
    Indices members{first};
    group[first] = static_cast<Index>(found.size());
    for (std::size_t next = 0; next < members.size(); next++) {
      for (std::size_t edge = rows.first(members[next]); edge < rows.last(members[next]); edge++) {
        const Index partner = rows.adjacent[edge];
        if (group[partner] >= 0 || !sends(traffic, edge)) continue;
        group[partner] = group[first];
        members.push_back(partner);
      }
    }
    std::sort(members.begin(), members.end());
    found.push_back(std::move(members));
  }
  return found;
}

class Exchange {
 public:
  Exchange(const Parts &parts, int level, const Indices &found, const Indices &present)
      : parts_(parts), level_(level), found_(found), present_(present) {}

  [[nodiscard]] bool is_in_one(const Indices &group) const {
    return std::all_of(group.begin(), group.end(),
                       [&](Index rank) { return where(found_, rank) == where(found_, group[0]); });
  }

  // Gives groups of as many ranks each other's slots.
  void assign(const std::vector<Indices> &groups, Indices &slot) const {
    const Gains found = gains(groups);
    if (found.empty()) return;
    const Gains best = best_of(found);
    Indices target(groups.size(), -1);
    std::vector<std::uint8_t> taken(groups.size(), 0);
    for (const Gain &gain : best) {
      target[gain.one] = gain.other;
      taken[gain.other] = 1;
    }
    Index free = 0;
    for (std::size_t number = 0; number < groups.size(); number++) {
      if (target[number] < 0) {
        while (taken[free] != 0) free++;
        target[number] = free++;
      }
      const Indices &other = groups[target[number]];
      for (std::size_t i = 0; i < other.size(); i++) slot[groups[number][i]] = found_[other[i]];
    }
  }

 private:
  [[nodiscard]] Index where(const Indices &slot, Index rank) const { return parts_.object(level_, slot[rank]); }

  // How many ranks of a group are where another one is to be; nothing if these are too many.
  [[nodiscard]] Gains gains(const std::vector<Indices> &groups) const {
    std::map<Index, Indices> on;
    for (std::size_t number = 0; number < groups.size(); number++)
      on[where(found_, groups[number][0])].push_back(static_cast<Index>(number));
    Gains gains;
    for (std::size_t number = 0; number < groups.size(); number++) {
      std::map<Index, double> there;
      for (const Index rank : groups[number]) there[where(present_, rank)]++;
      for (const auto &[object, ranks] : there) {
        const auto targets = on.find(object);
        if (targets == on.end()) continue;
        if (gains.size() + targets->second.size() > kMostGains) return {};
        for (const Index target : targets->second) gains.push_back({static_cast<Index>(number), target, ranks});
      }
    }
    return gains;
  }

  const Parts &parts_;
  const int level_;
  const Indices &found_, &present_;
};

}  // namespace

Indices minimal_moves(const Parts &parts, const Indices &found, const Indices &present) {
  return Moves(parts, found, present).slots();
}

Indices exchanged_groups(const Traffic &traffic, const Parts &parts, int level, const Indices &found,
                         const Indices &present) {
  if (parts.count(level) == 1) return found;
  const Exchange exchange(parts, level, found, present);
  std::map<std::size_t, std::vector<Indices>> alike;
  for (Indices &group : groups_of(traffic))
    if (exchange.is_in_one(group)) alike[group.size()].push_back(std::move(group));
  Indices slot = found;
  for (const auto &entry : alike) exchange.assign(entry.second, slot);
  return slot;
}

}  // namespace rankwise::placement
