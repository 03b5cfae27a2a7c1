// The assignment problem for pairs of rows and columns, most with weight 0: one shortest augmenting path a row, as in
// Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems"
// (Computing 38, 1987), without the initialisation that pays for dense ones.
#include "assignment.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace rankwise::placement {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::int32_t none = -1;

class Assignment {
 public:
  explicit Assignment(const rankwise_pairs &pairs) : pairs_(pairs), begin_(pairs.rows + 1, 0), order_(pairs.pairs) {
    for (std::int64_t i = 0; i < pairs.pairs; i++) begin_[pairs.row[i] + 1]++;
    for (std::int32_t row = 0; row < pairs.rows; row++) begin_[row + 1] += begin_[row];
    std::vector<std::int64_t> next(begin_.begin(), begin_.end() - 1);
    for (std::int64_t i = 0; i < pairs.pairs; i++) {
      order_[next[pairs.row[i]]++] = i;
      most_ = std::max(most_, pairs.weight[i]);
    }
    const std::size_t columns = static_cast<std::size_t>(pairs.columns) + pairs.rows;
    row_of_.assign(columns, none);
    pair_of_.assign(columns, none);
    price_.assign(columns, 0);
    value_.assign(pairs.rows, 0);
    column_of_.assign(pairs.rows, none);
    distance_.assign(columns, infinite);
    from_.assign(columns, none);
    by_.assign(columns, none);
    settled_.assign(columns, 0);
  }

  void solve(std::uint8_t *chosen) {
    for (std::int32_t row = 0; row < pairs_.rows; row++) add(row);
    std::fill(chosen, chosen + pairs_.pairs, std::uint8_t{0});
    for (std::int32_t column = 0; column < pairs_.columns; column++) {
      if (pair_of_[column] != none) chosen[pair_of_[column]] = 1;
    }
  }

 private:
  // Each row has a private column of weight 0 in addition: a path that ends there leaves the row without a partner.
  std::int64_t own(std::int32_t row) const { return static_cast<std::int64_t>(pairs_.columns) + row; }

  void add(std::int32_t first) {
    touched_.clear();
    queue_ = {};
    std::int32_t row = first;
    double here = 0;
    std::int64_t end = none;
    for (;;) {
      for (std::int64_t i = begin_[row]; i < begin_[row + 1]; i++) {
        reach(row, pairs_.column[order_[i]], order_[i], here + most_ - pairs_.weight[order_[i]]);
      }
      reach(row, own(row), none, here + most_);
      std::tie(here, end) = queue_.top();
      queue_.pop();
      while (settled_[end]) {
        std::tie(here, end) = queue_.top();
        queue_.pop();
      }
      settled_[end] = 1;
      if (row_of_[end] == none) break;
      row = row_of_[end];
    }
    value_[first] += here;
    for (const std::int64_t column : touched_) {
      if (settled_[column] && column != end) {
        price_[column] += distance_[column] - here;
        value_[row_of_[column]] += here - distance_[column];
      }
    }
    for (std::int64_t column = end; column != none;) {
      const std::int32_t partner = from_[column];
      const std::int64_t before = column_of_[partner];  // none for the first column of the path
      row_of_[column] = partner;
      column_of_[partner] = column;
      pair_of_[column] = by_[column];
      column = before;
    }
    for (const std::int64_t column : touched_) {
      distance_[column] = infinite;
      settled_[column] = 0;
    }
  }

  void reach(std::int32_t row, std::int64_t column, std::int64_t pair, double cost) {
    const double distance = cost - value_[row] - price_[column];
    if (distance >= distance_[column]) return;
    if (distance_[column] == infinite) touched_.push_back(column);
    distance_[column] = distance;
    from_[column] = row;
    by_[column] = pair;
    queue_.emplace(distance, column);
  }

  using Entry = std::pair<double, std::int64_t>;

  const rankwise_pairs &pairs_;
  std::vector<std::int64_t> begin_;  // of each row's pairs in order_
  std::vector<std::int64_t> order_;
  double most_ = 0;
  std::vector<std::int32_t> row_of_;     // of each column
  std::vector<std::int64_t> pair_of_;    // row of each column; none for a row's private column, which has weight 0
  std::vector<std::int64_t> column_of_;  // of each row
  std::vector<double> price_;
  std::vector<double> value_;
  // The path that is being searched for.
  std::vector<double> distance_;
  std::vector<std::int32_t> from_;
  std::vector<std::int64_t> by_;
  std::vector<std::uint8_t> settled_;
  std::vector<std::int64_t> touched_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace

void choose(const rankwise_pairs &pairs, std::uint8_t *chosen) { Assignment(pairs).solve(chosen); }

}  // namespace rankwise::placement
