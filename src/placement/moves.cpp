#include "moves.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "assignment.h"

namespace rankwise::placement {

namespace {

// An object and its replacement, and how many ranks stay where they are with it.
struct Gain {
  Index from;
  Index to;
  double ranks;
};

using Gains = std::vector<Gain>;

constexpr std::size_t kMostGains = 2000000;  // exchanges of groups: more would take longer than placing all ranks

Indices numbered(const Gains &gains, Index Gain::*side, Index &count) {
  Indices known, numbers;
  for (const Gain &gain : gains) known.push_back(gain.*side);
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (const Gain &gain : gains)
    numbers.push_back(static_cast<Index>(std::lower_bound(known.begin(), known.end(), gain.*side) - known.begin()));
  count = static_cast<Index>(known.size());
  return numbers;
}

// Pairs, no two with the same first or second part, with the largest sum of gains.
Gains best_of(const Gains &gains) {
  rankwise_pairs pairs{};
  const Indices row = numbered(gains, &Gain::from, pairs.rows);
  const Indices column = numbered(gains, &Gain::to, pairs.columns);
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

bool in_order(const Gain &first, const Gain &second) {
  return std::tie(first.from, first.to) < std::tie(second.from, second.to);
}

class Moves {
 public:
  Moves(const Parts &parts, const Indices &wanted, const Indices &present) : parts_(parts), wanted_(wanted) {
    chosen_.resize(static_cast<std::size_t>(parts.last()) + 1);
    Gains stay;
    for (std::size_t rank = 0; rank < wanted.size(); rank++)
      stay.push_back({parts.object(parts.last(), wanted[rank]), parts.object(parts.last(), present[rank]), 1});
    for (int level = parts.last(); level > 0; level--) stay = choose_at(level, stay);
  }

  Indices slots() const {
    Indices image{0};
    for (int level = 1; level <= parts_.last(); level++) image = images(level, image);
    Indices slot;
    for (const Index old : wanted_) slot.push_back(parts_.slot(image[parts_.object(parts_.last(), old)]));
    return slot;
  }

 private:
  // Chooses the best images for the objects of a level, for each pair of equivalent enclosing objects. A pair matters
  // only if a rank is wanted in one object and is present in the other. Returns the gain of each enclosing pair.
  Gains choose_at(int level, const Gains &stay) {
    std::map<std::pair<Index, Index>, Gains> inside;
    for (const Gain &gain : stay) {
      const Index from = parts_.parent(level, gain.from), to = parts_.parent(level, gain.to);
      if (parts_.symmetry_class(level - 1, from) == parts_.symmetry_class(level - 1, to))
        inside[{from, to}].push_back(gain);
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

  // The image of each used object of a level, given the images of the level above; -1: not used.
  Indices images(int level, const Indices &above) const {
    Indices image(parts_.count(level), -1);
    std::vector<std::uint8_t> used(image.size(), 0), taken(image.size(), 0);
    for (const Index slot : wanted_) used[parts_.object(level, slot)] = 1;
    for (std::size_t from = 0; from < above.size(); from++) {
      if (above[from] < 0) continue;
      const auto gains = chosen_[level].find({static_cast<Index>(from), above[from]});
      if (gains != chosen_[level].end()) {
        for (const Gain &gain : gains->second) {
          image[gain.from] = gain.to;
          taken[gain.to] = 1;
        }
      }
      fill(level, static_cast<Index>(from), above[from], used, taken, image);
    }
    return image;
  }

  // The children of `from` without an image get free children of `to`, of the same symmetry class.
  void fill(int level, Index from, Index to, const std::vector<std::uint8_t> &used,
            const std::vector<std::uint8_t> &taken, Indices &image) const {
    using OfClass = std::pair<Index, Index>;
    std::vector<OfClass> waiting, free;
    for (Index child = parts_.first_child(level - 1, from); child < parts_.first_child(level - 1, from + 1); child++)
      if (used[child] != 0 && image[child] < 0) waiting.emplace_back(parts_.symmetry_class(level, child), child);
    for (Index child = parts_.first_child(level - 1, to); child < parts_.first_child(level - 1, to + 1); child++)
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
  const Indices &wanted_;
  std::vector<std::map<std::pair<Index, Index>, Gains>> chosen_;  // [level], by the objects above
};

bool sends(const Traffic &traffic, std::size_t edge) {
  return traffic.bytes[edge] > 0 || (!traffic.messages.empty() && traffic.messages[edge] > 0);
}

// The connected components of the traffic, each with its ranks in order.
std::vector<Indices> groups_of(const Traffic &traffic) {
  const Rows &rows = traffic.rows;
  Indices group(rows.size(), -1);
  std::vector<Indices> components;
  for (Index first = 0; first < rows.size(); first++) {
    if (group[first] >= 0) continue;
    Indices members{first};
    group[first] = static_cast<Index>(components.size());
    for (std::size_t next = 0; next < members.size(); next++) {
      for (std::size_t edge = rows.first(members[next]); edge < rows.last(members[next]); edge++) {
        const Index partner = rows.adjacent[edge];
        if (group[partner] >= 0 || !sends(traffic, edge)) continue;
        group[partner] = group[first];
        members.push_back(partner);
      }
    }
    std::sort(members.begin(), members.end());
    components.push_back(std::move(members));
  }
  return components;
}

class Exchange {
 public:
  Exchange(const Parts &parts, int level, const Indices &wanted, const Indices &present)
      : parts_(parts), level_(level), wanted_(wanted), present_(present) {}

  [[nodiscard]] bool is_in_one(const Indices &group) const {
    return std::all_of(group.begin(), group.end(),
                       [&](Index rank) { return where(wanted_, rank) == where(wanted_, group[0]); });
  }

  // Gives groups of as many ranks each other's slots.
  void assign(const std::vector<Indices> &groups, Indices &slot) const {
    const Gains possible = gains(groups);
    if (possible.empty()) return;
    const Gains best = best_of(possible);
    Indices target(groups.size(), -1);
    std::vector<std::uint8_t> taken(groups.size(), 0);
    for (const Gain &gain : best) {
      target[gain.from] = gain.to;
      taken[gain.to] = 1;
    }
    Index free = 0;
    for (std::size_t number = 0; number < groups.size(); number++) {
      if (target[number] < 0) {
        while (taken[free] != 0) free++;
        target[number] = free++;
      }
      const Indices &to = groups[target[number]];
      for (std::size_t i = 0; i < to.size(); i++) slot[groups[number][i]] = wanted_[to[i]];
    }
  }

 private:
  [[nodiscard]] Index where(const Indices &slot, Index rank) const { return parts_.object(level_, slot[rank]); }

  // How many ranks of a group are where another group is wanted; nothing if there are too many of these.
  [[nodiscard]] Gains gains(const std::vector<Indices> &groups) const {
    std::map<Index, Indices> on;
    for (std::size_t number = 0; number < groups.size(); number++)
      on[where(wanted_, groups[number][0])].push_back(static_cast<Index>(number));
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
  const Indices &wanted_, &present_;
};

}  // namespace

Indices minimal_moves(const Parts &parts, const Indices &wanted, const Indices &present) {
  return Moves(parts, wanted, present).slots();
}

Indices exchanged_groups(const Traffic &traffic, const Parts &parts, int level, const Indices &wanted,
                         const Indices &present) {
  if (parts.count(level) == 1) return wanted;
  const Exchange exchange(parts, level, wanted, present);
  std::map<std::size_t, std::vector<Indices>> equal_sized;
  for (Indices &group : groups_of(traffic))
    if (exchange.is_in_one(group)) equal_sized[group.size()].push_back(std::move(group));
  Indices slot = wanted;
  for (const auto &entry : equal_sized) exchange.assign(entry.second, slot);
  return slot;
}

}  // namespace rankwise::placement
