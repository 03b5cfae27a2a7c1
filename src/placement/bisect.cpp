#include "bisect.h"

#include <algorithm>
#include <cmath>

#include "coarsen.h"

namespace rankwise::placement {

namespace {

constexpr Index kFew = 30;          // little to gain
constexpr Index kStartsUpTo = 400;  // larger graphs that can't be coarsened are started twice
constexpr std::size_t kDense = 10;  // edges of a vertex: starts take long, and lead to similar results
constexpr int kTries = 20;

// Grows side 0 from a random vertex, always by the vertex with the lowest cost.
class Growing {
 public:
  Growing(const Graph &graph, Capacity capacity, const std::vector<Standing> &alone, Workspace &work, Random &random)
      : graph_(graph), capacity_(capacity), work_(work), random_(random), sides_(graph.size(), 1) {
    const double share = static_cast<double>(capacity[0]) / (static_cast<double>(capacity[0]) + capacity[1]);
    wanted_ = static_cast<Index>(std::lround(share * graph.rank_count()));
    work_.vertices = alone;
    double largest = 0;
    for (const Standing &vertex : alone) largest = std::max(largest, std::abs(vertex.gain));
    work_.heaps[0].reset(work_.vertices, largest);
  }

  Sides grow() {
    Sides passed_over(graph_.size(), 0);
    Buckets &heap = work_.heaps[0];
    while (ranks_ < wanted_) {
      if (heap.empty()) {
        const Index seed = any(passed_over);
        if (seed < 0) break;
        heap.push(seed);
      }
      const Index v = heap.top();
      heap.remove(v);
      passed_over[v] = 1;
      if (ranks_ + graph_.ranks[v] > capacity_[0] && ranks_ > 0) continue;
      take(v, passed_over);
    }
    return std::move(sides_);
  }

 private:
  // A random vertex; if vertices are pulled to side 0, the most strongly pulled of several random ones.
  Index any(const Sides &passed_over) {
    Index most = -1;
    for (int i = 0; i < kTries; i++) {
      const Index v = random_.below(graph_.size());
      if (passed_over[v]) continue;
      if (most < 0 || graph_.pull_of(v) > graph_.pull_of(most)) most = v;
      if (graph_.pull.empty()) break;
    }
    if (most >= 0) return most;
    const auto free_vertex = std::find(passed_over.begin(), passed_over.end(), 0);
    return free_vertex == passed_over.end() ? -1 : static_cast<Index>(free_vertex - passed_over.begin());
  }

  void take(Index v, const Sides &passed_over) {
    sides_[v] = 0;
    ranks_ += graph_.ranks[v];
    for (std::size_t i = graph_.rows.first(v); i < graph_.rows.last(v); i++) {
      const Index other = graph_.rows.adjacent[i];
      if (sides_[other] == 0 || passed_over[other]) continue;
      work_.vertices[other].gain += 2 * graph_.weight[i];
      work_.heaps[0].push(other);
    }
  }

  const Graph &graph_;
  Capacity capacity_;
  Workspace &work_;
  Random &random_;
  Sides sides_;
  Index wanted_;
  Index ranks_ = 0;
};

// Vertices of many ranks can't fill a side exactly; single ranks can.
Index tolerance_for(const Graph &graph) { return graph.largest() > 1 ? graph.largest() : 0; }

int starts_of(const Graph &graph, const Effort &effort) {
  const std::size_t edges = graph.rows.adjacent.size() / static_cast<std::size_t>(std::max(1, graph.size()));
  if (effort.is_thrifty && edges >= kDense) return 2;
  if (graph.size() <= kFew) return (effort.starts + 1) / 2;
  return graph.size() <= kStartsUpTo ? effort.starts : 2;
}

Bisection start(const Graph &graph, Capacity capacity, const Effort &effort, Workspace &work, Random &random) {
  const int starts = starts_of(graph, effort);
  std::vector<Standing> alone(graph.size());  // with all neighbours on the other side
  for (Index v = 0; v < graph.size(); v++) {
    alone[v].gain = graph.pull_of(v);
    for (std::size_t i = graph.rows.first(v); i < graph.rows.last(v); i++) alone[v].gain -= graph.weight[i];
  }
  consider_all(graph, work);
  Bisection best;
  for (int i = 0; i < starts; i++) {
    Sides sides = Growing(graph, capacity, alone, work, random).grow();
    const Quality quality = refine(graph, sides, capacity, tolerance_for(graph), 4, effort, work);
    if (i == 0 || quality.better_than(best.quality)) best = {std::move(sides), quality};
  }
  return best;
}

// Merged vertices must stay small compared with both sides, and there must be enough of them.
Index most_ranks(const Graph &graph, Capacity capacity, Index coarsest) {
  const Index by_size = 3 * graph.rank_count() / (2 * coarsest);
  const Index by_side = std::min(capacity[0], capacity[1]) / 4 + 1;
  return std::max(2, std::min(by_size, by_side));
}

// Projects the sides to the finer graph. Without pull, only vertices from border vertices can be at the border.
void project(const Coarser &coarser, Sides &sides, const Graph &finer, Workspace &work) {
  std::vector<std::uint8_t> border(sides.size());
  for (Index v = 0; v < coarser.graph.size(); v++) border[v] = is_at_border(coarser.graph, sides, v);
  Sides projected(finer.size());
  work.candidates.clear();
  for (Index v = 0; v < finer.size(); v++) {
    const Index number = coarser.vertex[v];
    projected[v] = sides[number];
    if (border[number] != 0 || !finer.pull.empty()) work.candidates.push_back(v);
  }
  sides = std::move(projected);
}

}  // namespace

Bisection bisect(const Graph &graph, Capacity capacity, const Effort &effort, Random &random, Workspace &work) {
  std::vector<Coarser> levels;
  const Index most = most_ranks(graph, capacity, effort.coarsest());
  const Graph *coarsest = &graph;
  while (coarsest->size() > effort.coarsest()) {
    std::optional<Coarser> coarser = coarsen(*coarsest, most, random);
    if (!coarser) break;
    levels.push_back(std::move(*coarser));
    coarsest = &levels.back().graph;
  }
  Bisection bisection = start(*coarsest, capacity, effort, work, random);
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    const bool is_finest = std::next(level) == levels.rend();
    const Graph &finer = is_finest ? graph : std::next(level)->graph;
    project(*level, bisection.sides, finer, work);
    bisection.quality = refine(finer, bisection.sides, capacity, is_finest ? 0 : tolerance_for(finer),
                               is_finest ? effort.fine_passes : effort.coarse_passes, effort, work);
  }
  return bisection;
}

}  // namespace rankwise::placement
