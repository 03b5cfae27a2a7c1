// The network between nodes, unless it is a tree.
#ifndef RANKWISE_PLACEMENT_NETWORK_NETWORK_H
#define RANKWISE_PLACEMENT_NETWORK_NETWORK_H

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "../graph.h"
#include "../price.h"
#include "rankwise/placement.h"

namespace rankwise::placement {

using Nodes = std::span<const Index>;

// Links that messages take, and the share of their bytes on each. A link goes one way: two connected routers have one
// link for each direction.
struct Step {
  Index link;
  double share;
};
using Way = std::vector<Step>;

class Network {
 public:
  explicit Network(Index nodes) : near_(nodes) {}
  virtual ~Network() = default;
  Network(const Network &) = delete;
  Network &operator=(const Network &) = delete;

  // Additional cost between two nodes; the same in both directions, nothing from a node to itself.
  [[nodiscard]] virtual Price between(Index first, Index second) const = 0;
  // Divides some nodes, at least two, into two parts, each as compact as possible; neither is empty.
  [[nodiscard]] virtual std::pair<Indices, Indices> halves(Nodes nodes) const = 0;
  // The extent of some nodes, as `mean` needs it.
  [[nodiscard]] virtual Indices extent(Nodes nodes) const;
  // The mean over all pairs of a node of each, approximately, from their extents.
  [[nodiscard]] virtual Price mean(const Indices &some, const Indices &others) const;
  // Routers along each axis of a torus; else nothing.
  [[nodiscard]] virtual std::span<const Index> lengths() const { return {}; }
  // Where a node is on each of those axes.
  [[nodiscard]] virtual std::span<const Index> coordinates(Index) const { return {}; }
  // The number of links that messages share.
  [[nodiscard]] virtual Index links() const { return 0; }
  // Adds the links on the path from a node to another one, for this share of the messages.
  virtual void find_way(Index /*from*/, Index /*to*/, double /*share*/, Way &) const {}
  // The routers that a link leads from and to.
  [[nodiscard]] virtual std::pair<Index, Index> ends(Index) const { return {-1, -1}; }
  // The cost of a byte on a link.
  [[nodiscard]] virtual double per_link_byte(Index) const { return 0; }
  // The nodes nearest to one: a few.
  [[nodiscard]] const Indices &near(Index node) const { return near_[node]; }

 protected:
  static constexpr std::size_t kNear = 8;
  std::vector<Indices> near_;
};

bool is_network(const rankwise_network &network);

// A good one.
std::unique_ptr<const Network> network_of(const rankwise_network &network);

}  // namespace rankwise::placement

#endif
