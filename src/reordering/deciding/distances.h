// The distances that processes have from each other: numbers from the nearest on, by the byte hops between them.
#ifndef RANKWISE_REORDERING_DECIDING_DISTANCES_H
#define RANKWISE_REORDERING_DECIDING_DISTANCES_H

#include <cstdint>
#include <vector>

#include "slots.h"

namespace rankwise::reordering {

class Distances {
 public:
  explicit Distances(const Slots &slots);

  // At most RANKWISE_MOST_DISTANCES.
  std::int32_t count() const { return count_; }
  std::int32_t between(std::int32_t process, std::int32_t other) const { return number_[common(process, other)]; }
  double hops(std::int32_t process, std::int32_t other) const { return slots_.per_byte[common(process, other)]; }

  // Fills partner [RANKWISE_MOST_DISTANCES][processes], as rankwise_pairs_by_distance does; returns count().
  std::int32_t pairs(std::int32_t processes, std::int32_t *partner) const;

 private:
  // Leading objects that two processes have in common.
  std::size_t common(std::int32_t process, std::int32_t other) const;

  const Slots &slots_;
  std::int32_t count_ = 0;
  std::vector<std::int32_t> number_;  // [depth + 1], by objects in common
};

}  // namespace rankwise::reordering

#endif
