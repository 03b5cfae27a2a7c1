#include "distances.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace rankwise::reordering {

Distances::Distances(const Slots &slots) : slots_(slots), number_(slots.per_byte.size()) {
  std::vector<double> values = slots.per_byte;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  constexpr auto most = static_cast<std::ptrdiff_t>(RANKWISE_MOST_DISTANCES);
  const auto merged = std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(values.size()) - most, 0);
  for (std::size_t common = 0; common < number_.size(); common++) {
    const auto rank = std::lower_bound(values.begin(), values.end(), slots.per_byte[common]) - values.begin();
    number_[common] = static_cast<std::int32_t>(std::max<std::ptrdiff_t>(rank - merged, 0));
  }
  count_ = static_cast<std::int32_t>(static_cast<std::ptrdiff_t>(values.size()) - merged);
}

std::size_t Distances::common(std::int32_t process, std::int32_t other) const {
  const std::int32_t *own = slots_.object.data() + static_cast<std::ptrdiff_t>(process) * slots_.depth;
  const std::int32_t *others = slots_.object.data() + static_cast<std::ptrdiff_t>(other) * slots_.depth;
  return static_cast<std::size_t>(std::mismatch(own, own + slots_.depth, others).first - own);
}

std::int32_t Distances::pairs(std::int32_t processes, std::int32_t *partner) const {
  std::fill_n(partner, static_cast<std::size_t>(RANKWISE_MOST_DISTANCES) * static_cast<std::size_t>(processes), -1);
  // Neighbours of the machine are neighbours in this list.
  std::vector<std::int32_t> list(static_cast<std::size_t>(processes));
  std::iota(list.begin(), list.end(), 0);
  const auto object = [this](std::int32_t process) {
    return slots_.object.begin() + static_cast<std::ptrdiff_t>(process) * slots_.depth;
  };
  std::stable_sort(list.begin(), list.end(), [&](std::int32_t a, std::int32_t b) {
    return std::lexicographical_compare(object(a), object(a) + slots_.depth, object(b), object(b) + slots_.depth);
  });
  for (std::int32_t distance = 0; distance < count_; distance++) {
    std::int32_t *of_distance = partner + static_cast<std::ptrdiff_t>(distance) * processes;
    for (std::size_t first = 0; first < list.size();) {
      // Processes that are at most so far from each other.
      std::size_t end = first + 1;
      while (end < list.size() && between(list[first], list[end]) <= distance) end++;
      // RATIONALE: processes half a list apart are in different parts of it, as far as these are of equal size, and at
      // least one pair is, if there are two parts.
      const std::size_t half = (end - first + 1) / 2;
      for (std::size_t i = first; i + half < end; i++) {
        const std::int32_t one = list[i];
        const std::int32_t other = list[i + half];
        if (between(one, other) != distance) continue;
        of_distance[one] = other;
        of_distance[other] = one;
      }
      first = end;
    }
  }
  return count_;
}

}  // namespace rankwise::reordering
