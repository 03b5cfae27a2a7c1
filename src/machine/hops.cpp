#include "hops.h"

#include <algorithm>
#include <numeric>

namespace rankwise::machine {

namespace {

// How many objects each level has; level 0 is the whole machine.
std::vector<std::int32_t> counts_of(std::span<const std::int32_t> object, std::int32_t depth) {
  const auto row = [&](std::size_t slot) { return object.begin() + static_cast<std::ptrdiff_t>(slot) * depth; };
  std::vector<std::size_t> order(object.size() / static_cast<std::size_t>(depth));
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](std::size_t a, std::size_t b) {
    return std::lexicographical_compare(row(a), row(a) + depth, row(b), row(b) + depth);
  };
  if (!std::is_sorted(order.begin(), order.end(), before)) std::sort(order.begin(), order.end(), before);
  std::vector<std::int32_t> counts(static_cast<std::size_t>(depth) + 1, 1);
  for (std::size_t i = 1; i < order.size(); i++) {
    const auto mine = row(order[i]);
    const auto common = std::mismatch(mine, mine + depth, row(order[i - 1])).first - mine;
    for (auto level = common; level < depth; level++) counts[static_cast<std::size_t>(level) + 1]++;
  }
  return counts;
}

}  // namespace

std::vector<double> hops(std::span<const std::int32_t> object, std::int32_t depth) {
  const std::vector<std::int32_t> counts = counts_of(object, depth);
  // If a level has as many objects as the last level, each slot is alone in its object. Counts never fall from level to
  // level.
  std::vector<std::int32_t> useful = counts;
  useful.erase(std::unique(useful.begin(), useful.end()), useful.end());
  useful.pop_back();
  std::vector<double> per_byte;
  for (const std::int32_t count : counts) {
    const auto outer = std::lower_bound(useful.begin(), useful.end(), count) - useful.begin();
    const auto above = static_cast<std::ptrdiff_t>(useful.size()) - 1 - outer;
    per_byte.push_back(static_cast<double>(std::max<std::ptrdiff_t>(above, 0)));
  }
  return per_byte;
}

}  // namespace rankwise::machine
