#include "running.h"

#include <cstdlib>

namespace rankwise::inside {

namespace {
constexpr std::uint32_t first_capacity = 64;
constexpr std::uint32_t most_capacity = 1U << 16;
}  // namespace

bool Running::grow() {
  if (capacity_ == most_capacity) return false;
  const std::uint32_t capacity = capacity_ == 0 ? first_capacity : capacity_ * 2;
  void *larger = std::realloc(entries_, capacity * sizeof(Entry));
  if (larger == nullptr) return false;
  entries_ = static_cast<Entry *>(larger);
  capacity_ = capacity;
  return true;
}

}  // namespace rankwise::inside
