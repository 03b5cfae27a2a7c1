// Vertices by their gain, the largest first: a list for each range of gains, as in Fiduccia and Mattheyses 1982.
#ifndef RANKWISE_PLACEMENT_BUCKETS_H
#define RANKWISE_PLACEMENT_BUCKETS_H

#include <algorithm>
#include <array>
#include <bit>

#include "graph.h"

namespace rankwise::placement {

// The state that refinement keeps for a vertex, in one place: neighbours are visited in an order that caches can't
// predict.
struct Standing {
  double gain = 0;
  double total = 0;               // weight of its edges, if the gain is known
  Index before = -1, after = -1;  // in the list of its bucket
  std::int16_t bucket = -1;
  std::uint8_t side = 0;
  bool is_known = false;  // its gain
  bool is_locked = false;
};

// Gains of one sign share a bucket if they differ by less than 1/64, so small multiples of one weight are
// distinguished. Within a bucket, the last pushed vertex comes first: it is next to the vertex that has moved, which
// keeps the border smooth (Hagen, Huang and Kahng 1997).
class Buckets {
 public:
  Buckets() { first_.fill(-1); }

  // Two of them may share the vertices, if each vertex is only ever in one. Gains beyond `largest` count as `largest`.
  void reset(std::vector<Standing> &vertices, double largest) {
    vertices_ = vertices.data();
    for (; highest_ >= 0; highest_ = next_below(highest_)) {  // of other vertices
      first_[highest_] = -1;
      filled_[highest_ / kBits] &= ~bit(highest_);
    }
    floor_ = steps(largest) - kSteps;
  }

  void clear() {
    for (; highest_ >= 0; highest_ = next_below(highest_)) {
      for (Index v = first_[highest_]; v >= 0; v = vertices_[v].after) vertices_[v].bucket = -1;
      first_[highest_] = -1;
      filled_[highest_ / kBits] &= ~bit(highest_);
    }
  }

  [[nodiscard]] bool empty() const { return highest_ < 0; }
  [[nodiscard]] Index top() const { return first_[highest_]; }

  // Inserts a vertex, or moves it after its gain has changed.
  void push(Index v) {
    Standing &vertex = vertices_[v];
    const int bucket = bucket_of(vertex.gain);
    if (vertex.bucket >= 0) {
      if (first_[bucket] == v) return;
      remove(v);
    }
    vertex.bucket = static_cast<std::int16_t>(bucket);
    vertex.before = -1;
    vertex.after = first_[bucket];
    if (vertex.after >= 0) vertices_[vertex.after].before = v;
    first_[bucket] = v;
    filled_[bucket / kBits] |= bit(bucket);
    if (bucket > highest_) highest_ = bucket;
  }

  void remove(Index v) {
    Standing &vertex = vertices_[v];
    const int bucket = vertex.bucket;
    vertex.bucket = -1;
    if (vertex.after >= 0) vertices_[vertex.after].before = vertex.before;
    if (vertex.before >= 0) {
      vertices_[vertex.before].after = vertex.after;
      return;
    }
    first_[bucket] = vertex.after;
    if (vertex.after >= 0) return;
    filled_[bucket / kBits] &= ~bit(bucket);
    if (bucket == highest_) highest_ = next_below(bucket);
  }

 private:
  static constexpr int kMantissa = 46;                 // ignored bits of a gain: 4 are left
  static constexpr int kSteps = 12 << 6;               // a gain a million times smaller than the largest counts as 0
  static constexpr int kCount = 2 * (kSteps + 1) + 1;  // negative gains, nothing, positive gains
  static constexpr int kBits = 64;

  static int steps(double gain) { return static_cast<int>(std::bit_cast<std::uint64_t>(gain) >> kMantissa); }
  static std::uint64_t bit(int bucket) { return std::uint64_t{1} << (bucket % kBits); }

  [[nodiscard]] int bucket_of(double gain) const {
    const int size = std::clamp(steps(gain < 0 ? -gain : gain) - floor_ + 1, 0, kSteps + 1);
    return kSteps + 1 + (gain < 0 ? -size : size);
  }

  [[nodiscard]] int next_below(int bucket) const {
    int word = bucket / kBits;
    std::uint64_t below = filled_[word] & (bit(bucket) - 1);
    while (below == 0) {
      if (--word < 0) return -1;
      below = filled_[word];
    }
    return word * kBits + kBits - 1 - std::countl_zero(below);
  }

  Standing *vertices_ = nullptr;
  std::array<Index, kCount> first_;
  std::array<std::uint64_t, (kCount + kBits - 1) / kBits> filled_{};
  int highest_ = -1;
  int floor_ = 0;
};

}  // namespace rankwise::placement

#endif
