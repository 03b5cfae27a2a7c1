// Vertices by their gain, the largest first. Gains are kept outside, and may change if the heap is told.
#ifndef RANKWISE_PLACEMENT_HEAP_H
#define RANKWISE_PLACEMENT_HEAP_H

#include <algorithm>

#include "graph.h"

namespace rankwise::placement {

class Heap {
 public:
  void reset(Index size, const std::vector<double> &gain) {
    gain_ = &gain;
    heap_.clear();
    place_.assign(size, -1);
  }

  void clear() {
    for (const Entry &entry : heap_) place_[entry.vertex] = -1;
    heap_.clear();
  }

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] Index top() const { return heap_.front().vertex; }
  [[nodiscard]] bool holds(Index v) const { return place_[v] >= 0; }

  void push(Index v) {
    place_[v] = static_cast<Index>(heap_.size());
    heap_.push_back({(*gain_)[v], v});
    rise(place_[v]);
  }

  void remove(Index v) {
    const Index hole = place_[v];
    place_[v] = -1;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (last.vertex == v) return;
    put(hole, last);
    settle(hole);
  }

  // Its gain has changed.
  void update(Index v) {
    heap_[place_[v]].gain = (*gain_)[v];
    settle(place_[v]);
  }

 private:
  static constexpr Index kWays = 4;

  // (With its gain beside it, a vertex is compared without a look into another array.)
  struct Entry {
    double gain;
    Index vertex;
  };

  void put(Index place, const Entry &entry) {
    heap_[place] = entry;
    place_[entry.vertex] = place;
  }

  void settle(Index place) {
    const Index v = heap_[place].vertex;
    rise(place);
    sink(place_[v]);
  }

  void rise(Index place) {
    const Entry entry = heap_[place];
    while (place > 0) {
      const Index above = (place - 1) / kWays;
      if (heap_[above].gain >= entry.gain) break;
      put(place, heap_[above]);
      place = above;
    }
    put(place, entry);
  }

  void sink(Index place) {
    const Entry entry = heap_[place];
    const auto size = static_cast<Index>(heap_.size());
    for (;;) {
      const Index first = kWays * place + 1;
      if (first >= size) break;
      Index best = first;
      for (Index below = first + 1; below < std::min(first + kWays, size); below++)
        if (heap_[below].gain > heap_[best].gain) best = below;
      if (heap_[best].gain <= entry.gain) break;
      put(place, heap_[best]);
      place = best;
    }
    put(place, entry);
  }

  const std::vector<double> *gain_ = nullptr;
  std::vector<Entry> heap_;
  Indices place_;
};

}  // namespace rankwise::placement

#endif
