// Finds the axes of a halo, a transpose or a hypercube, if a graph is a Cartesian product.
#ifndef RANKWISE_PLACEMENT_PRODUCT_H
#define RANKWISE_PLACEMENT_PRODUCT_H

#include <optional>

#include "graph.h"

namespace rankwise::placement {

// Each vertex has a coordinate on each axis, neighbours differ in one coordinate, and all combinations exist.
struct Product {
  Indices length;      // of each axis
  Indices coordinate;  // [vertices][axes]; along an axis, neighbours are next to each other as far as possible

  [[nodiscard]] std::size_t axes() const { return length.size(); }
  [[nodiscard]] Index at(Index v, std::size_t axis) const {
    return coordinate[static_cast<std::size_t>(v) * axes() + axis];
  }
  [[nodiscard]] std::span<const Index> point(Index v) const {
    return {coordinate.data() + static_cast<std::size_t>(v) * axes(), axes()};
  }
};

// The axes of a graph; light edges may be left out. Nothing if there are less than two.
std::optional<Product> product_of(const Rows &rows, const std::vector<double> &weight);

}  // namespace rankwise::placement

#endif
