#include "refine.h"

#include <algorithm>

namespace rankwise::placement {

namespace {

class Refinement {
 public:
  Refinement(const Graph &graph, Sides &sides, Capacity capacity, Index tolerance, int patience, Workspace &work)
      : graph_(graph), sides_(sides), capacity_(capacity), patience_(patience), work_(work) {
    for (Index &room : capacity_) room += tolerance;
    transient_ = graph.largest();
    const Index size = graph.size();
    work_.gain.assign(size, 0);
    work_.locked.assign(size, 0);
    for (Heap &heap : work_.heaps) heap.reset(size, work_.gain);
    for (Index v = 0; v < size; v++) {
      ranks_[sides_[v]] += graph.ranks[v];
      double outside = 0, inside = 0;
      for (std::size_t i = graph.rows.first(v); i < graph.rows.last(v); i++)
        (sides_[graph.rows.adjacent[i]] != sides_[v] ? outside : inside) += graph.weight[i];
      work_.gain[v] = outside - inside + discontent(v);
      cut_ += outside / 2 + sides_[v] * graph.pull_of(v);
    }
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
      work_.locked[v] = 1;
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
    while (work_.moves.size() > kept) {
      move(work_.moves.back(), false);
      work_.moves.pop_back();
    }
    cut_ = best.cut;
    return kept > 0;
  }

 private:
  // Vertices at the border, first.
  void start() {
    for (Heap &heap : work_.heaps) heap.clear();
    std::fill(work_.locked.begin(), work_.locked.end(), 0);
    work_.moves.clear();
    for (Index v = 0; v < graph_.size(); v++)
      if (is_at_border(v)) work_.heaps[sides_[v]].push(v);
  }

  // What a vertex would save on the other side by itself.
  [[nodiscard]] double discontent(Index v) const { return sides_[v] != 0 ? graph_.pull_of(v) : -graph_.pull_of(v); }

  [[nodiscard]] bool is_at_border(Index v) const {
    if (discontent(v) > 0) return true;
    for (std::size_t i = graph_.rows.first(v); i < graph_.rows.last(v); i++)
      if (sides_[graph_.rows.adjacent[i]] != sides_[v]) return true;
    return false;
  }

  [[nodiscard]] Index overload() const {
    return std::max(ranks_[0] - capacity_[0], 0) + std::max(ranks_[1] - capacity_[1], 0);
  }

  // A side may be too full by one vertex for a while: two that change places do so one after the other.
  [[nodiscard]] bool fits(Index v, int side) const {
    return ranks_[side] + graph_.ranks[v] <= capacity_[side] + transient_;
  }

  // The side that the next vertex leaves; -1 if there is none.
  int choose() {
    for (int side = 0; side < 2; side++)
      if (ranks_[side] > capacity_[side]) return filled(side) ? side : -1;
    std::array<bool, 2> can{};
    for (int side = 0; side < 2; side++)
      can[side] = !work_.heaps[side].empty() && fits(work_.heaps[side].top(), 1 - side);
    if (!can[0] || !can[1]) return can[0] ? 0 : can[1] ? 1 : -1;
    const double left = work_.gain[work_.heaps[0].top()], right = work_.gain[work_.heaps[1].top()];
    if (left != right) return left > right ? 0 : 1;
    return static_cast<double>(ranks_[0]) * capacity_[1] > static_cast<double>(ranks_[1]) * capacity_[0] ? 0 : 1;
  }

  // A side that must give away may have nothing at the border.
  bool filled(int side) {
    Heap &heap = work_.heaps[side];
    if (heap.empty() && !full_[side]) {
      full_[side] = true;
      for (Index v = 0; v < graph_.size(); v++)
        if (sides_[v] == side && !work_.locked[v]) heap.push(v);
    }
    return !heap.empty();
  }

  void move(Index v, bool tell) {
    const int from = sides_[v];
    cut_ -= work_.gain[v];
    work_.gain[v] = -work_.gain[v];
    sides_[v] ^= 1;
    ranks_[from] -= graph_.ranks[v];
    ranks_[1 - from] += graph_.ranks[v];
    for (std::size_t i = graph_.rows.first(v); i < graph_.rows.last(v); i++) {
      const Index other = graph_.rows.adjacent[i];
      work_.gain[other] += sides_[other] == from ? 2 * graph_.weight[i] : -2 * graph_.weight[i];
      if (!tell || work_.locked[other]) continue;
      Heap &heap = work_.heaps[sides_[other]];
      if (heap.holds(other))
        heap.update(other);
      else
        heap.push(other);
    }
  }

  const Graph &graph_;
  Sides &sides_;
  Capacity capacity_;
  Index transient_;
  int patience_;
  Workspace &work_;
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

}  // namespace rankwise::placement
