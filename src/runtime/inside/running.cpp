#include "running.h"

#include <cstdlib>

namespace rankwise::inside {

namespace {
constexpr std::size_t first_capacity = 64;
constexpr std::size_t most_capacity = 1U << 16;
}  // namespace

bool Running::grow() {
  const auto used = static_cast<std::size_t>(end_ - entries_);  // that is all
  if (used == most_capacity) return false;
  const std::size_t capacity = used == 0 ? first_capacity : used * 2;
  void *larger = std::realloc(entries_, capacity * sizeof(Entry));
  if (larger == nullptr) return false;
  entries_ = static_cast<Entry *>(larger);
  end_ = entries_ + used;
  limit_ = entries_ + capacity;
  return true;
}

void Running::release() {
  std::free(entries_);
  *this = {};
}

}  // namespace rankwise::inside
