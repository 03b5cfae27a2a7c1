#include "product.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "sweep.h"

namespace rankwise::placement {

namespace {

constexpr std::size_t kMostAxes = 16;
constexpr std::size_t kMostOfCorner = 1024;  // edges of the vertex to begin with
constexpr int kMostThresholds = 6;
constexpr Index kUnknown = -1;

// The edges that weigh at least so much.
Rows heavy(const Rows &all, const std::vector<double> &weight, double least) {
  Rows rows;
  for (Index v = 0; v < all.size(); v++) {
    for (std::size_t i = all.first(v); i < all.last(v); i++)
      if (weight[i] >= least) rows.adjacent.push_back(all.adjacent[i]);
    rows.begin.push_back(rows.adjacent.size());
  }
  return rows;
}

// Powers of two at which lighter edges can be left out, the least first.
std::vector<double> thresholds(const std::vector<double> &weight) {
  std::set<int> exponents;
  int last = std::numeric_limits<int>::min();
  for (const double value : weight) {
    if (value <= 0) continue;
    const int exponent = std::ilogb(value);
    if (exponent != last) exponents.insert(exponent);
    last = exponent;
  }
  std::vector<double> powers;
  for (const int exponent : exponents) {
    if (static_cast<int>(powers.size()) == kMostThresholds) break;
    powers.push_back(std::ldexp(1.0, exponent));
  }
  return powers;
}

// From a corner outwards: a vertex adjacent to two others along two axes has the coordinates of both. A vertex that is
// reached along a single axis has the next coordinate there. (After Imrich and Peterin 2007, for the products that
// programs have: of lines, rings, and complete graphs.)
class Factoring {
 public:
  explicit Factoring(const Rows &rows) : rows_(rows), distance_(rows.size(), kUnknown), mark_(rows.size(), kUnknown) {}

  std::optional<Product> run() {
    const Index corner = find_corner();
    if (!spread(corner) || !find_axes(corner)) return std::nullopt;
    for (const Index v : order_)
      if (distance_[v] > 1 && !locate(v)) return std::nullopt;
    if (!is_whole()) return std::nullopt;
    for (std::size_t axis = 0; axis < made_.axes(); axis++) arrange(axis);
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::size_t degree(Index v) const { return rows_.last(v) - rows_.first(v); }
  [[nodiscard]] std::span<const Index> neighbours(Index v) const {
    return {rows_.adjacent.data() + rows_.first(v), degree(v)};
  }

  [[nodiscard]] Index find_corner() const {
    Index corner = 0;
    for (Index v = 1; v < rows_.size(); v++)
      if (degree(v) < degree(corner)) corner = v;
    return corner;
  }

  // Distances from the corner. False if not all can be reached.
  bool spread(Index corner) {
    order_.push_back(corner);
    distance_[corner] = 0;
    for (std::size_t next = 0; next < order_.size(); next++) {
      const Index v = order_[next];
      for (const Index other : neighbours(v)) {
        if (distance_[other] != kUnknown) continue;
        distance_[other] = distance_[v] + 1;
        order_.push_back(other);
      }
    }
    return order_.size() == distance_.size();
  }

  // Two edges of the corner are along different axes if they are sides of a square without diagonals.
  bool find_axes(Index corner) {
    const std::size_t count = degree(corner);
    if (count < 2 || count > kMostOfCorner) return false;
    const auto near = neighbours(corner);
    for (std::size_t i = 0; i < count; i++) mark_[near[i]] = static_cast<Index>(i);
    std::vector<std::uint8_t> apart(count * count, 0);
    std::map<Index, Index> first_way;  // to vertices two steps away
    for (std::size_t i = 0; i < count; i++) {
      for (const Index other : neighbours(near[i])) {
        if (distance_[other] != 2) continue;
        const auto [way, is_new] = first_way.try_emplace(other, static_cast<Index>(i));
        if (!is_new) apart[way->second * count + i] = 1;
      }
    }
    for (std::size_t i = 0; i < count; i++)
      for (const Index other : neighbours(near[i]))
        if (mark_[other] != kUnknown) apart[i * count + mark_[other]] = apart[mark_[other] * count + i] = 0;
    Indices axis(count);
    std::iota(axis.begin(), axis.end(), 0);
    for (std::size_t i = 0; i < count; i++)
      for (std::size_t j = i + 1; j < count; j++)
        if (!apart[i * count + j] && axis[i] != axis[j]) std::replace(axis.begin(), axis.end(), axis[j], axis[i]);
    for (const Index v : near) mark_[v] = kUnknown;
    Indices numbers = axis;
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    if (numbers.size() < 2 || numbers.size() > kMostAxes) return false;
    made_.length.assign(numbers.size(), 1);
    made_.coordinate.assign(made_.axes() * distance_.size(), 0);
    for (std::size_t i = 0; i < count; i++) {
      const auto own =
          static_cast<std::size_t>(std::lower_bound(numbers.begin(), numbers.end(), axis[i]) - numbers.begin());
      coordinate(near[i], own) = made_.length[own]++;
    }
    return true;
  }

  Index &coordinate(Index v, std::size_t axis) {
    return made_.coordinate[static_cast<std::size_t>(v) * made_.axes() + axis];
  }

  // The axis that two vertices differ on; kUnknown if they do so on several, or on none.
  [[nodiscard]] Index axis_between(Index first, Index second) const {
    Index differing = kUnknown;
    for (std::size_t axis = 0; axis < made_.axes(); axis++) {
      if (made_.at(first, axis) == made_.at(second, axis)) continue;
      if (differing != kUnknown) return kUnknown;
      differing = static_cast<Index>(axis);
    }
    return differing;
  }

  // A vertex nearer to the corner that is adjacent to both, if any.
  Index common(Index first, Index second) {
    for (const Index v : neighbours(first)) mark_[v] = first;
    const auto near = neighbours(second);
    const auto nearest = std::find_if(
        near.begin(), near.end(), [&](Index v) { return mark_[v] == first && distance_[v] == distance_[first] - 1; });
    for (const Index v : neighbours(first)) mark_[v] = kUnknown;
    return nearest == near.end() ? kUnknown : *nearest;
  }

  bool locate(Index v) {
    Index first = kUnknown;
    for (const Index other : neighbours(v)) {
      if (distance_[other] != distance_[v] - 1) continue;
      if (first == kUnknown) {
        first = other;
        continue;
      }
      const Index before = common(first, other);
      if (before == kUnknown) continue;
      // The other two sides of the square.
      const Index to_first = axis_between(other, before), to_other = axis_between(first, before);
      if (to_first == kUnknown || to_other == kUnknown) return false;
      if (to_first == to_other) continue;
      for (std::size_t axis = 0; axis < made_.axes(); axis++) coordinate(v, axis) = made_.at(first, axis);
      coordinate(v, to_first) = made_.at(other, to_first);
      return true;
    }
    const Index own = axis_between(first, order_.front());
    if (own == kUnknown) return false;
    coordinate(v, own) = made_.length[own]++;
    return true;
  }

  // Whether all combinations of coordinates exist, and each vertex has the neighbours that its coordinates imply.
  [[nodiscard]] bool is_whole() {
    const auto size = static_cast<std::size_t>(rows_.size());
    std::size_t product = 1;
    for (const Index length : made_.length) product *= length;
    if (product != size) return false;
    for (std::size_t axis = 0; axis < made_.axes(); axis++) lines_.push_back(line(axis));
    std::vector<std::uint8_t> is_there(size, 0);
    for (Index v = 0; v < rows_.size(); v++) {
      std::size_t number = 0, expected = 0;
      for (std::size_t axis = 0; axis < made_.axes(); axis++) {
        const Index own = made_.at(v, axis);
        number = number * made_.length[axis] + own;
        expected += lines_[axis].last(own) - lines_[axis].first(own);
      }
      if (is_there[number]++ || expected != degree(v)) return false;
      for (const Index other : neighbours(v)) {
        const Index axis = axis_between(v, other);
        if (axis == kUnknown) return false;
        const Rows &on_axis = lines_[axis];
        const Index own = made_.at(v, axis);
        const auto begin = on_axis.adjacent.begin();
        if (!std::binary_search(begin + static_cast<std::ptrdiff_t>(on_axis.first(own)),
                                begin + static_cast<std::ptrdiff_t>(on_axis.last(own)), made_.at(other, axis)))
          return false;
      }
    }
    return true;
  }

  // The edges of an axis, between its coordinates.
  [[nodiscard]] Rows line(std::size_t axis) const {
    Indices on_axis(made_.length[axis], order_.front());
    for (const Index v : order_)
      if (axis_between(v, order_.front()) == static_cast<Index>(axis)) on_axis[made_.at(v, axis)] = v;
    Rows rows;
    for (const Index v : on_axis) {
      for (const Index other : neighbours(v))
        if (axis_between(v, other) == static_cast<Index>(axis)) rows.adjacent.push_back(made_.at(other, axis));
      std::sort(rows.adjacent.begin() + static_cast<std::ptrdiff_t>(rows.begin.back()), rows.adjacent.end());
      rows.begin.push_back(rows.adjacent.size());
    }
    return rows;
  }

  // Renumbers the coordinates, so that neighbours are next to each other: along lines and around rings, else by a
  // sweep.
  void arrange(std::size_t axis) {
    const Index length = made_.length[axis];
    const Rows &line = lines_[axis];
    bool is_line = true;
    for (Index at = 0; at < length; at++) is_line = is_line && line.last(at) - line.first(at) <= 2;
    const Indices order = is_line ? along(line) : sweep(line, std::vector<double>(line.adjacent.size(), 1));
    Indices number(length);
    for (Index i = 0; i < length; i++) number[order[i]] = i;
    for (Index v = 0; v < rows_.size(); v++) coordinate(v, axis) = number[made_.at(v, axis)];
  }

  // From one end of a line to the other one, or around a ring.
  static Indices along(const Rows &line) {
    Index at = 0;
    for (Index v = 0; v < line.size(); v++)
      if (line.last(v) - line.first(v) == 1) at = v;
    Indices order;
    std::vector<std::uint8_t> is_passed(line.size(), 0);
    while (at != kUnknown) {
      order.push_back(at);
      is_passed[at] = 1;
      Index next = kUnknown;
      for (std::size_t i = line.first(at); i < line.last(at); i++)
        if (!is_passed[line.adjacent[i]]) next = line.adjacent[i];
      at = next;
    }
    return order;
  }

  const Rows &rows_;
  Product made_;
  std::vector<Rows> lines_;  // of each axis
  Indices distance_;
  Indices order_;  // the nearer to the corner, the earlier
  Indices mark_;
};

}  // namespace

std::optional<Product> product_of(const Rows &rows, const std::vector<double> &weight) {
  for (const double least : thresholds(weight)) {
    const Rows heaviest = heavy(rows, weight, least);
    if (auto product = Factoring(heaviest).run()) return product;
  }
  return std::nullopt;
}

}  // namespace rankwise::placement
