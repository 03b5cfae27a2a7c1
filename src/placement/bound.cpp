#include "bound.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace rankwise::placement {

namespace {

// Minimum distance of the nearest other place, the second nearest, ...
std::vector<double> nearest(const Machine &machine, double Price::*price) {
  std::vector<double> least(machine.slots() - 1, std::numeric_limits<double>::infinity());
  for (Index place = 0; place < machine.slots(); place++) {
    std::vector<double> from;
    for (Index other = 0; other < machine.slots(); other++)
      if (other != place) from.push_back(machine.between(machine.group(place), machine.group(other)).*price);
    std::sort(from.begin(), from.end());
    std::transform(from.begin(), from.end(), least.begin(), least.begin(),
                   [](double first, double second) { return std::min(first, second); });
  }
  return least;
}

double least_of(const Rows &rows, const std::vector<double> &sent, const std::vector<double> &far) {
  double sum = 0;
  for (Index rank = 0; rank < rows.size(); rank++) {
    std::vector<double> own(sent.begin() + static_cast<std::ptrdiff_t>(rows.first(rank)),
                            sent.begin() + static_cast<std::ptrdiff_t>(rows.last(rank)));
    std::sort(own.begin(), own.end(), std::greater<>());
    sum += std::inner_product(own.begin(), own.end(), far.begin(), 0.0);
  }
  return sum / 2;  // each edge has two ends
}

}  // namespace

double least_cost(const Traffic &traffic, const Machine &machine) {
  double least = least_of(traffic.rows, traffic.bytes, nearest(machine, &Price::byte));
  if (!traffic.messages.empty()) least += least_of(traffic.rows, traffic.messages, nearest(machine, &Price::message));
  return least;
}

}  // namespace rankwise::placement
