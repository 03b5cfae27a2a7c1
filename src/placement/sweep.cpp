#include "sweep.h"

#include <numeric>

namespace rankwise::placement {

namespace {

constexpr int kSweeps = 3;

// Vertices by their weight to the vertices taken so far; of equal ones the lowest rank comes first.
class Heap {
 public:
  explicit Heap(const Indices &rank) : rank_(rank), weight_(rank.size(), 0), at_(rank.size(), kNever) {}

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] bool is_taken(Index v) const { return at_[v] == kTaken; }

  void add(Index v, double weight) {
    weight_[v] += weight;
    if (at_[v] == kNever) {
      at_[v] = static_cast<Index>(heap_.size());
      heap_.push_back(v);
    }
    rise(at_[v]);
  }

  Index take() {
    const Index top = heap_.front(), last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      set(0, last);
      sink(0);
    }
    at_[top] = kTaken;
    return top;
  }

 private:
  static constexpr Index kNever = -1, kTaken = -2;

  [[nodiscard]] bool is_before(Index a, Index b) const {
    return weight_[a] != weight_[b] ? weight_[a] > weight_[b] : rank_[a] < rank_[b];
  }

  void set(Index at, Index v) {
    heap_[at] = v;
    at_[v] = at;
  }

  void rise(Index at) {
    const Index v = heap_[at];
    for (; at > 0 && is_before(v, heap_[(at - 1) / 2]); at = (at - 1) / 2) set(at, heap_[(at - 1) / 2]);
    set(at, v);
  }

  void sink(Index at) {
    const Index v = heap_[at], size = static_cast<Index>(heap_.size());
    for (Index child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && is_before(heap_[child + 1], heap_[child])) child++;
      if (!is_before(heap_[child], v)) break;
      set(at, heap_[child]);
      at = child;
    }
    set(at, v);
  }

  const Indices &rank_;
  std::vector<double> weight_;
  Indices at_;
  Indices heap_;
};

}  // namespace

Indices sweep(const Rows &rows, const std::vector<double> &weight) {
  const Index size = rows.size();
  Indices order(size), rank(size);
  std::iota(order.begin(), order.end(), 0);
  for (int number = 0; number < kSweeps; number++) {
    // The last becomes the first.
    for (Index i = 0; i < size; i++) rank[order[i]] = size - 1 - i;
    Indices next;
    next.reserve(size);
    Heap heap(rank);
    for (Index seed = size; seed-- > 0;) {
      if (heap.is_taken(order[seed])) continue;
      heap.add(order[seed], 0);
      while (!heap.empty()) {
        const Index v = heap.take();
        next.push_back(v);
        for (std::size_t i = rows.first(v); i < rows.last(v); i++)
          if (!heap.is_taken(rows.adjacent[i])) heap.add(rows.adjacent[i], weight[i]);
      }
    }
    order = std::move(next);
  }
  return order;
}

}  // namespace rankwise::placement
