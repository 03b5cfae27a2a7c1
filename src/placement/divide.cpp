#include "divide.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "bisect.h"
#include "kway_refine.h"

namespace rankwise::placement {

namespace {

constexpr Index kWorthAThread = 1000;  // vertices
// Edges of a vertex: with more, a second bisection takes long and hardly helps; or a third one.
constexpr double kDense = 64, kThriftyDense = 20, kSparse = 11.5;
constexpr double kComplete = 0.9;  // of all edges that there can be: any bisection is about as good
constexpr Index kSmall = 200;      // vertices: many such graphs are bisected, so a third bisection of each takes long

Index room(std::span<const Index> capacity) { return std::accumulate(capacity.begin(), capacity.end(), Index{0}); }

class Division {
 public:
  Division(const Effort &effort, Parallel &parallel, Indices &part)
      : effort_(effort), parallel_(parallel), part_(part) {}

  // Divides a graph among the parts from `first` on; `vertices` maps its vertices to the caller's.
  void divide(const Graph &graph, const Indices &vertices, std::span<const Index> capacity, Index first,
              std::uint64_t seed) {
    if (capacity.size() == 1) {
      for (const Index v : vertices) part_[v] = first;
      return;
    }
    const std::size_t half = capacity.size() / 2;
    const auto left = capacity.first(half), right = capacity.subspan(half);
    const Sides sides = best(graph, {room(left), room(right)}, seed);
    std::array<Side, 2> both_sides{side_of(graph, sides, 0), side_of(graph, sides, 1)};
    each(graph.size(), 2, [&](int number) {
      Side &side = both_sides[number];
      for (Index &v : side.vertices) v = vertices[v];
      divide(side.graph, side.vertices, number == 0 ? left : right,
             number == 0 ? first : first + static_cast<Index>(half), Random::of_part(seed, number));
    });
  }

 private:
  // The cheapest of several bisections.
  Sides best(const Graph &graph, Capacity capacity, std::uint64_t seed) {
    std::vector<Bisection> attempts(bisections_of(graph));
    each(graph.size(), static_cast<int>(attempts.size()), [&](int number) {
      Random random(Random::of_part(seed, number + 2));  // 0 and 1: the sides
      Workspace work;
      attempts[number] = bisect(graph, capacity, effort_, random, work);
    });
    const auto better = [](const Bisection &a, const Bisection &b) { return a.quality.better_than(b.quality); };
    return std::move(std::min_element(attempts.begin(), attempts.end(), better)->sides);
  }

  [[nodiscard]] int bisections_of(const Graph &graph) const {
    const auto edges = static_cast<double>(graph.rows.adjacent.size()) / std::max(1, graph.size());
    if (edges > (effort_.is_thrifty ? kThriftyDense : kDense)) return 1;
    if (effort_.is_thrifty && edges > kComplete * (graph.size() - 1)) return 1;
    const bool is_simple = edges <= kSparse && graph.size() > kSmall;
    return effort_.is_thrifty && !is_simple ? std::min(2, effort_.bisections) : effort_.bisections;
  }

  template <typename Work>
  void each(Index size, int count, const Work &work) {
    if (size > kWorthAThread) {
      parallel_.each(0, count, work);
    } else {
      for (int number = 0; number < count; number++) work(number);
    }
  }

  const Effort &effort_;
  Parallel &parallel_;
  Indices &part_;
};

// Repairs what refinement left: surplus vertices of a part go to parts with room.
void make_fit(Indices &part, std::span<const Index> capacity) {
  Indices left(capacity.begin(), capacity.end());
  for (const Index mine : part) left[mine]--;
  Index target = 0;
  for (Index &mine : part) {
    if (left[mine] >= 0) continue;
    while (left[target] <= 0) target++;
    left[mine]++;
    left[target]--;
    mine = target;
  }
}

}  // namespace

Indices divide(const Graph &graph, std::span<const Index> capacity, const Effort &effort, std::uint64_t seed,
               Parallel &parallel) {
  Indices part(graph.size(), 0), all(graph.size());
  std::iota(all.begin(), all.end(), 0);
  Division(effort, parallel, part).divide(graph, all, capacity, 0, seed);
  make_fit(part, capacity);
  if (capacity.size() > 2) kway_refine(graph, part, capacity, effort);
  return part;
}

}  // namespace rankwise::placement
