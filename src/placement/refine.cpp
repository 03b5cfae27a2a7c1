#include "refine.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rankwise::placement {

namespace {

constexpr double kRounding = 1e-9;
constexpr std::array<double, 2> kFactor{0, 1};

class Refinement {
 public:
  Refinement(const Graph &graph, Sides &sides, Capacity capacity, Index tolerance, int patience, Workspace &work)
      : graph_(graph), sides_(sides), capacity_(capacity), patience_(patience), work_(work), vertices_(work.vertices) {
    for (Index &room : capacity_) room += tolerance;
    transient_ = graph.largest();
    vertices_.assign(graph.size(), {});
    for (Index v = 0; v < graph.size(); v++) {
      vertices_[v].side = sides_[v];
      ranks_[sides_[v]] += graph.ranks[v];
      cut_ += sides_[v] * graph.pull_of(v);
    }
    work_.known.clear();
    double largest = 0;
    for (const Index v : work_.candidates) {
      const double outside = learn(v);
      cut_ += outside / 2;
      largest = std::max(largest, 2 * outside + std::abs(vertices_[v].gain));
    }
    for (Buckets &heap : work_.heaps) heap.reset(vertices_, largest);
  }

  [[nodiscard]] Quality quality() const { return {overload(), cut_}; }

  // True if it became better.
  bool pass() {
    start();
    Quality best = quality();
    std::size_t kept = 0;
    int since = 0;
    full_ = {false, false};
    for (int side = choose(); side >= 0; side = choose()) {
      const Index v = work_.heaps[side].top();
      work_.heaps[side].remove(v);
      vertices_[v].is_locked = true;
      if (!fits(v, 1 - side) && overload() == 0) continue;
      move(v, true);
      work_.moves.push_back(v);
      since++;
      if (quality().better_than(best)) {
        best = quality();
        kept = work_.moves.size();
        since = 0;
      }
      if ((since > patience_ && best.overload == 0) || since > 4 * graph_.size()) break;
    }
    undo(kept);
    cut_ = best.cut;
    return kept > 0;
  }

 private:
  // Undoes all moves but the first `kept`. If that is 0, no further pass follows, and the gains are not needed.
  void undo(std::size_t kept) {
    for (std::size_t i = work_.moves.size(); i-- > kept;) {
      if (kept > 0)
        move(work_.moves[i], false);
      else
        change_side(work_.moves[i]);
    }
  }

  // Computes the gain of a vertex, and returns the weight of its edges to the other side. (Most vertices are never
  // needed.)
  double learn(Index v) {
    Standing &vertex = vertices_[v];
    const std::uint8_t side = vertex.side;
    double outside = 0, inside = 0;
    for (std::size_t i = graph_.rows.first(v), end = graph_.rows.last(v); i < end; i++) {
      // Factors instead of branches: which side the neighbour is on can't be predicted.
      const bool is_outside = vertices_[graph_.rows.adjacent[i]].side != side;
      outside += graph_.weight[i] * kFactor[is_outside];
      inside += graph_.weight[i] * kFactor[!is_outside];
    }
    vertex.gain = outside - inside + discontent(v);
    vertex.total = outside + inside;
    vertex.is_known = true;
    work_.known.push_back(v);
    return outside;
  }

  // Whether a known vertex has edges to the other side, or is pulled there: without a visit to its neighbours.
  [[nodiscard]] bool is_near_border(Index v) const {
    const double alone = discontent(v), total = vertices_[v].total;
    return alone > 0 || vertices_[v].gain - alone + total > total * kRounding;
  }

  // The savings of a vertex on the other side, by itself.
  [[nodiscard]] double discontent(Index v) const {
    return vertices_[v].side != 0 ? graph_.pull_of(v) : -graph_.pull_of(v);
  }

  // Vertices at the border, first.
  void start() {
    for (Buckets &heap : work_.heaps) heap.clear();
    work_.moves.clear();
    for (const Index v : work_.known) {
      vertices_[v].is_locked = false;
      if (is_near_border(v)) work_.heaps[sides_[v]].push(v);
    }
  }

  [[nodiscard]] Index overload() const {
    return std::max(ranks_[0] - capacity_[0], 0) + std::max(ranks_[1] - capacity_[1], 0);
  }

  // A side may be too full by one vertex for a while: two that change places do so one after the other.
  [[nodiscard]] bool fits(Index v, int side) const {
    return ranks_[side] + graph_.ranks[v] <= capacity_[side] + transient_;
  }

  // The side that the next vertex leaves; -1 if no vertex can.
  int choose() {
    for (int side = 0; side < 2; side++)
      if (ranks_[side] > capacity_[side]) return filled(side) ? side : -1;
    std::array<bool, 2> can{};
    for (int side = 0; side < 2; side++)
      can[side] = !work_.heaps[side].empty() && fits(work_.heaps[side].top(), 1 - side);
    if (!can[0] || !can[1]) return can[0] ? 0 : can[1] ? 1 : -1;
    const double left = vertices_[work_.heaps[0].top()].gain, right = vertices_[work_.heaps[1].top()].gain;
    if (left != right) return left > right ? 0 : 1;
    return static_cast<double>(ranks_[0]) * capacity_[1] > static_cast<double>(ranks_[1]) * capacity_[0] ? 0 : 1;
  }

  // A side that must give vertices away may have none at the border.
  bool filled(int side) {
    Buckets &heap = work_.heaps[side];
    if (heap.empty() && !full_[side]) {
      full_[side] = true;
      for (Index v = 0; v < graph_.size(); v++) {
        if (vertices_[v].side != side || vertices_[v].is_locked) continue;
        if (!vertices_[v].is_known) learn(v);
        heap.push(v);
      }
    }
    return !heap.empty();
  }

  void change_side(Index v) {
    const int from = sides_[v];
    sides_[v] = vertices_[v].side ^= 1;
    ranks_[from] -= graph_.ranks[v];
    ranks_[1 - from] += graph_.ranks[v];
  }

  void move(Index v, bool update_heap) {
    Standing &vertex = vertices_[v];
    const int from = vertex.side;
    cut_ -= vertex.gain;
    vertex.gain = -vertex.gain;
    change_side(v);
    constexpr std::array<double, 2> change{-2, 2};  // as above
    for (std::size_t i = graph_.rows.first(v), end = graph_.rows.last(v); i < end; i++) {
      const Index number = graph_.rows.adjacent[i];
      Standing &other = vertices_[number];
      if (other.is_known)
        other.gain += change[other.side == from] * graph_.weight[i];
      else
        learn(number);
      if (update_heap && !other.is_locked) work_.heaps[other.side].push(number);
    }
  }

  const Graph &graph_;
  Sides &sides_;
  Capacity capacity_;
  Index transient_;
  int patience_;
  Workspace &work_;
  std::vector<Standing> &vertices_;
  std::array<Index, 2> ranks_{};
  double cut_ = 0;
  std::array<bool, 2> full_{};
};

}  // namespace

Quality refine(const Graph &graph, Sides &sides, Capacity capacity, Index tolerance, int passes, const Effort &effort,
               Workspace &work) {
  const int share = 16;
  const int patience = std::max(effort.least_patience, std::min(graph.size() / share, effort.patience));
  Refinement refinement(graph, sides, capacity, tolerance, patience, work);
  for (int pass = 0; pass < passes && refinement.pass(); pass++) {
  }
  return refinement.quality();
}

void consider_all(const Graph &graph, Workspace &work) {
  work.candidates.resize(graph.size());
  std::iota(work.candidates.begin(), work.candidates.end(), 0);
}

bool is_at_border(const Graph &graph, const Sides &sides, Index v) {
  if (sides[v] != 0 ? graph.pull_of(v) > 0 : graph.pull_of(v) < 0) return true;
  for (std::size_t i = graph.rows.first(v); i < graph.rows.last(v); i++)
    if (sides[graph.rows.adjacent[i]] != sides[v]) return true;
  return false;
}

}  // namespace rankwise::placement
