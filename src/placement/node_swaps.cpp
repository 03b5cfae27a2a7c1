#include "node_swaps.h"

#include <algorithm>
#include <numeric>

#include "kinds.h"
#include "swaps.h"

namespace rankwise::placement {

namespace {

// The nodes as a machine of one slot each.
struct NodeSlots {
  NodeSlots(const Machine &machine, const Indices &begins) {
    for (std::size_t i = 0; i + 1 < begins.size(); i++) node.push_back(machine.node(machine.group(begins[i])));
    network.level = 0;
    slots = {static_cast<Index>(node.size()), 1, node.data(), byte, message, &network, nullptr};
    for (int common = 0; common < 2; common++) {
      byte[common] = machine.price(common).byte;
      message[common] = machine.price(common).message;
    }
  }
  NodeSlots(const NodeSlots &) = delete;
  NodeSlots &operator=(const NodeSlots &) = delete;

  Indices node;
  double byte[2], message[2];
  rankwise_network network{};
  rankwise_slots slots;
};

// The traffic between two nodes, in both directions.
Traffic between_nodes(const Traffic &traffic, const Indices &node, Index count) {
  std::vector<Indices> members(count);
  for (std::size_t rank = 0; rank < node.size(); rank++) members[node[rank]].push_back(static_cast<Index>(rank));
  Traffic made;
  std::vector<std::size_t> at(count, 0);
  for (Index mine = 0; mine < count; mine++) {
    const std::size_t start = made.rows.adjacent.size();
    for (const Index rank : members[mine]) {
      for (std::size_t i = traffic.rows.first(rank); i < traffic.rows.last(rank); i++) {
        const Index other = node[traffic.rows.adjacent[i]];
        if (other == mine) continue;
        if (at[other] < start || at[other] >= made.rows.adjacent.size() || made.rows.adjacent[at[other]] != other) {
          at[other] = made.rows.adjacent.size();
          made.rows.adjacent.push_back(other);
          made.bytes.push_back(0);
          if (!traffic.messages.empty()) made.messages.push_back(0);
        }
        made.bytes[at[other]] += traffic.bytes[i];
        if (!traffic.messages.empty()) made.messages[at[other]] += traffic.messages[i];
      }
    }
    made.rows.begin.push_back(made.rows.adjacent.size());
  }
  return made;
}

}  // namespace

void swap_nodes(const Traffic &traffic, const Machine &machine, const Effort &effort, Random &random, Indices &place) {
  const Indices begins = machine.parts(0, machine.slots(), 0);
  const auto count = static_cast<Index>(begins.size()) - 1;
  if (count == machine.slots()) return;  // a swap of ranks is a swap of nodes
  Indices node(place.size()), to(count);
  for (std::size_t rank = 0; rank < place.size(); rank++)
    node[rank] = static_cast<Index>(std::upper_bound(begins.begin(), begins.end(), place[rank]) - begins.begin()) - 1;
  const NodeSlots nodes(machine, begins);
  std::iota(to.begin(), to.end(), 0);
  search_swaps(between_nodes(traffic, node, count), Machine(nodes.slots, machine.network()), effort, random, to,
               kinds(machine, begins));
  for (std::size_t rank = 0; rank < place.size(); rank++) place[rank] += begins[to[node[rank]]] - begins[node[rank]];
}

}  // namespace rankwise::placement
