#include "coarsen.h"

#include <limits>
#include <numeric>

namespace rankwise::placement {

namespace {

constexpr double kHardlySmaller = 0.95;
constexpr std::size_t kDense = 50;  // edges of a vertex, on average
constexpr Index kMany = 8;          // one unmatched vertex in this many is many

class Matching {
 public:
  Matching(const Graph &graph, Index most, Random &random)
      : graph_(graph),
        is_dense_(graph.rows.adjacent.size() > kDense * graph.size()),
        most_(most),
        random_(random),
        mate_(graph.size(), -1),
        open_(graph.ranks),
        order_(graph.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    random_.shuffle(order_);
    Index single = graph.size();
    for (const Index v : order_) single -= is_free(v) && join(v, heaviest(v)) ? 2 : 0;
    if (single > graph.size() / kMany) join_by_neighbour();
  }

  [[nodiscard]] Index mate(Index v) const { return mate_[v]; }

 private:
  static constexpr Index kMatched = std::numeric_limits<Index>::max();

  [[nodiscard]] bool is_free(Index v) const { return mate_[v] < 0; }

  bool join(Index v, Index other) {
    if (other < 0) return false;
    mate_[v] = other;
    mate_[other] = v;
    open_[v] = open_[other] = kMatched;
    return true;
  }

  [[nodiscard]] bool may_join(Index v, Index other) const { return graph_.ranks[v] + graph_.ranks[other] <= most_; }

  // The free neighbour with the highest rating, weight^2 / ranks (Holtgrewe, Sanders and Schulz 2010). Of equal ones,
  // any. In a dense graph it is the first behind a random position: a random number for each takes long.
  Index heaviest(Index v) {
    const std::size_t first = graph_.rows.first(v), last = graph_.rows.last(v);
    const std::size_t start = is_dense_ ? first + random_.below(static_cast<Index>(last - first)) : first;
    const Index room = most_ - graph_.ranks[v];
    Index choice = -1;
    double best = -1;
    const auto look = [&](std::size_t i, std::size_t end) {
      for (; i < end; i++) {
        const Index other = graph_.rows.adjacent[i], ranks = open_[other];
        if (ranks > room) continue;
        const double rating = graph_.weight[i] * graph_.weight[i] / ranks;
        if (rating > best || (rating == best && !is_dense_ && random_.next() % 2 != 0)) {
          best = rating;
          choice = other;
        }
      }
    };
    look(start, last);
    look(first, start);
    return choice;
  }

  // Leaves around one hub, and vertices without any neighbour, have no free neighbour.
  void join_by_neighbour() {
    Indices waiting(graph_.size(), -1);
    Index without = -1;
    for (const Index v : order_) {
      if (!is_free(v)) continue;
      Index &partner = graph_.rows.first(v) == graph_.rows.last(v) ? without : waiting[hub(v)];
      if (partner >= 0 && may_join(v, partner)) {
        join(v, partner);
        partner = -1;
      } else {
        partner = v;
      }
    }
  }

  [[nodiscard]] Index hub(Index v) const {
    std::size_t best = graph_.rows.first(v);
    for (std::size_t i = best; i < graph_.rows.last(v); i++)
      if (graph_.weight[i] > graph_.weight[best]) best = i;
    return graph_.rows.adjacent[best];
  }

  const Graph &graph_;
  const bool is_dense_;
  Index most_;
  Random &random_;
  Indices mate_;
  Indices open_;  // ranks of each free vertex; of others kMatched
  Indices order_;
};

// Adds the edges of one or two vertices to the row that is being made.
class RowMaker {
 public:
  RowMaker(const Graph &fine, const Indices &vertex, Graph &coarse)
      : fine_(fine), vertex_(vertex), coarse_(coarse), end_(fine.size(), 0) {}

  void add(Index v, Index mine) {
    for (std::size_t i = fine_.rows.first(v), end = fine_.rows.last(v); i < end; i++) {
      const Index other = vertex_[fine_.rows.adjacent[i]];
      if (other == mine) continue;
      if (end_[other] > start_) {
        coarse_.weight[end_[other] - 1] += fine_.weight[i];
        continue;
      }
      coarse_.rows.adjacent.push_back(other);
      coarse_.weight.push_back(fine_.weight[i]);
      end_[other] = coarse_.weight.size();
    }
  }

  void end_row() {
    start_ = coarse_.rows.adjacent.size();
    coarse_.rows.begin.push_back(start_);
  }

 private:
  const Graph &fine_;
  const Indices &vertex_;
  Graph &coarse_;
  std::vector<std::size_t> end_;  // of the latest edge to each vertex
  std::size_t start_ = 0;
};

}  // namespace

std::optional<Coarser> coarsen(const Graph &graph, Index most, Random &random) {
  const Matching matching(graph, most, random);
  Coarser made;
  made.vertex.assign(graph.size(), -1);
  Indices first;  // of each vertex of the coarser graph
  for (Index v = 0; v < graph.size(); v++) {
    if (made.vertex[v] >= 0) continue;
    const auto number = static_cast<Index>(first.size());
    made.vertex[v] = number;
    if (matching.mate(v) >= 0) made.vertex[matching.mate(v)] = number;
    first.push_back(v);
  }
  if (static_cast<double>(first.size()) > kHardlySmaller * graph.size()) return std::nullopt;

  made.graph.rows.adjacent.reserve(graph.rows.adjacent.size());
  made.graph.weight.reserve(graph.weight.size());
  RowMaker row(graph, made.vertex, made.graph);
  for (Index number = 0; number < static_cast<Index>(first.size()); number++) {
    const Index v = first[number], mate = matching.mate(v);
    made.graph.ranks.push_back(graph.ranks[v] + (mate >= 0 ? graph.ranks[mate] : 0));
    if (!graph.pull.empty()) made.graph.pull.push_back(graph.pull[v] + (mate >= 0 ? graph.pull[mate] : 0));
    row.add(v, number);
    if (mate >= 0) row.add(mate, number);
    row.end_row();
  }
  return made;
}

}  // namespace rankwise::placement
