#include "layouts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "product.h"
#include "swaps.h"
#include "sweep.h"

namespace rankwise::placement {

namespace {

constexpr std::size_t kSmall = 100000;  // entries whose sweep takes negligible time
constexpr int kMostOrders = 6;          // of axes: all of three
constexpr int kMostFolds = 64;

// Two ways to number the points of a box: the last axis fastest, in each line forward, or alternating.
std::size_t number_of(std::span<const Index> point, std::span<const Index> length, const Indices &axes, bool is_back) {
  std::size_t number = 0;
  for (const Index axis : axes) {
    const Index at = is_back && number % 2 != 0 ? length[axis] - 1 - point[axis] : point[axis];
    number = number * length[axis] + at;
  }
  return number;
}

std::vector<Indices> orders_of_axes(std::size_t count) {
  Indices axes(count);
  std::iota(axes.begin(), axes.end(), 0);
  std::vector<Indices> orders;
  do orders.push_back(axes);
  while (static_cast<int>(orders.size()) < kMostOrders && std::next_permutation(axes.begin(), axes.end()));
  return orders;
}

class Layouts {
 public:
  Layouts(const Traffic &traffic, const Machine &machine) : traffic_(traffic), machine_(machine) {}

  std::optional<Indices> run() {
    const Rows &rows = traffic_.rows;
    std::vector<double> weight = traffic_.bytes;
    for (std::size_t i = 0; i < traffic_.messages.size(); i++) weight[i] += traffic_.messages[i];
    if (const auto product = product_of(rows, weight)) {
      fold(*product);
      for (const bool is_back : {false, true}) along_axes(*product, is_back);
    } else if (rows.adjacent.size() <= kSmall || is_long()) {
      const Indices order = sweep(rows, weight);
      for (const bool is_back : {false, true}) lay(order, is_back);
    }
    if (best_.empty()) return std::nullopt;
    return std::move(best_);
  }

 private:
  // Whether the distance between the ends is as large as only in a band.
  [[nodiscard]] bool is_long() const {
    const Rows &rows = traffic_.rows;
    Indices distance(rows.size(), -1), order{0};
    distance[0] = 0;
    for (std::size_t next = 0; next < order.size(); next++) {
      for (std::size_t i = rows.first(order[next]); i < rows.last(order[next]); i++) {
        const Index other = rows.adjacent[i];
        if (distance[other] >= 0) continue;
        distance[other] = distance[order[next]] + 1;
        order.push_back(other);
      }
    }
    return distance[order.back()] >= std::sqrt(rows.size()) / 2;
  }

  void along_axes(const Product &product, bool is_back) {
    for (const Indices &axes : orders_of_axes(product.axes())) {
      const auto number = [&](Index rank) { return number_of(product.point(rank), product.length, axes, is_back); };
      lay(by_number(traffic_.rows.size(), number), is_back);
    }
  }

  // 0 to count - 1, in the order of their numbers.
  template <typename Number>
  static Indices by_number(Index count, const Number &number) {
    std::vector<std::pair<std::size_t, Index>> numbered;
    numbered.reserve(count);
    for (Index vertex = 0; vertex < count; vertex++) numbered.emplace_back(number(vertex), vertex);
    std::sort(numbered.begin(), numbered.end());
    Indices order;
    order.reserve(count);
    for (const auto &[its_number, vertex] : numbered) order.push_back(vertex);
    return order;
  }

  // Ranks in this order, along the machine: through a torus in the order of each of its axes.
  void lay(const Indices &order, bool is_back) {
    for (const Indices &places : ways(is_back)) {
      Indices place(order.size());
      for (std::size_t i = 0; i < order.size(); i++) place[order[i]] = places[i];
      take(std::move(place));
    }
  }

  const std::vector<Indices> &ways(bool is_back) {
    std::vector<Indices> &known = ways_[is_back];
    if (!known.empty()) return known;
    if (!is_torus()) {
      if (is_back) return known;  // there is only one way
      known.emplace_back(machine_.slots());
      std::iota(known.back().begin(), known.back().end(), 0);
      return known;
    }
    for (const Indices &axes : orders_of_axes(machine_.network()->lengths().size())) {
      const auto number = [&](Index place) {
        return number_of(point(place), machine_.network()->lengths(), axes, is_back);
      };
      known.push_back(by_number(machine_.slots(), number));
    }
    return known;
  }

  [[nodiscard]] bool is_torus() const { return machine_.network() && !machine_.network()->lengths().empty(); }

  // Of a place, in the torus.
  [[nodiscard]] std::span<const Index> point(Index place) const {
    return machine_.network()->coordinates(machine_.node(machine_.group(place)));
  }

  // Maps each axis of the graph to one of the torus, if they fit: boxes of so many ranks go to each router.
  void fold(const Product &product) {
    if (!is_torus()) return;
    const auto length = machine_.network()->lengths();
    Indices routers(length.size());
    std::iota(routers.begin(), routers.end(), 0);
    std::vector<Indices> places_at(std::accumulate(length.begin(), length.end(), std::size_t{1}, std::multiplies<>()));
    for (Index place = 0; place < machine_.slots(); place++)
      places_at[number_of(point(place), length, routers, false)].push_back(place);
    most_at_ = 0;
    for (const Indices &places : places_at) most_at_ = std::max(most_at_, places.size());
    folds_ = 0;
    std::vector<Indices> axes(length.size());
    choose(product, 0, axes, places_at);
  }

  // Maps the axes of the graph from `next` on to any of the torus.
  void choose(const Product &product, std::size_t next, std::vector<Indices> &axes,
              const std::vector<Indices> &places_at) {
    if (folds_ >= kMostFolds) return;
    const auto length = machine_.network()->lengths();
    std::size_t box = 1;
    for (std::size_t axis = 0; axis < axes.size(); axis++) box *= box_length(product, axes[axis], length[axis]);
    if (box > most_at_) return;
    if (next == product.axes()) {
      folds_++;
      place_boxes(product, axes, places_at);
      return;
    }
    for (Indices &chosen : axes) {
      chosen.push_back(static_cast<Index>(next));
      choose(product, next + 1, axes, places_at);
      chosen.pop_back();
    }
  }

  static std::size_t box_length(const Product &product, const Indices &axes, Index routers) {
    std::size_t points = 1;
    for (const Index axis : axes) points *= product.length[axis];
    return (points + routers - 1) / routers;
  }

  void place_boxes(const Product &product, const std::vector<Indices> &axes, const std::vector<Indices> &places_at) {
    const auto length = machine_.network()->lengths();
    std::vector<std::size_t> taken(places_at.size(), 0);
    Indices place;
    for (Index rank = 0; rank < traffic_.rows.size(); rank++) {
      std::size_t router = 0;
      for (std::size_t axis = 0; axis < axes.size(); axis++) {
        const std::size_t number = number_of(product.point(rank), product.length, axes[axis], true);
        router = router * length[axis] + number / box_length(product, axes[axis], length[axis]);
      }
      if (taken[router] == places_at[router].size()) return;
      place.push_back(places_at[router][taken[router]++]);
    }
    take(std::move(place));
  }

  void take(Indices place) {
    const double cost = cost_of(traffic_, machine_, place);
    if (cost >= least_) return;
    least_ = cost;
    best_ = std::move(place);
  }

  const Traffic &traffic_;
  const Machine &machine_;
  std::array<std::vector<Indices>, 2> ways_;
  std::size_t most_at_ = 0;  // places at a router
  int folds_ = 0;
  Indices best_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::optional<Indices> best_layout(const Traffic &traffic, const Machine &machine) {
  return Layouts(traffic, machine).run();
}

}  // namespace rankwise::placement
