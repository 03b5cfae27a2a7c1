#include "recursive_bisection.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "bisect.h"
#include "recursion.h"

namespace rankwise::placement {

namespace {

struct Box {
  Indices nodes;
  Indices extent;
  Index room = 0;
  Indices ranks;
};

struct Halves {
  Index first, second;  // boxes
};

// Repairs what refinement left: surplus ranks of a side go to the other side.
void make_fit(Sides &sides, Capacity capacity) {
  for (std::uint8_t side = 0; side < 2; side++) {
    auto over = static_cast<Index>(std::count(sides.begin(), sides.end(), side)) - capacity[side];
    for (auto v = sides.begin(); over > 0 && v != sides.end(); ++v) {
      if (*v != side) continue;
      *v ^= 1;
      over--;
    }
  }
}

class RecursiveBisection {
 public:
  RecursiveBisection(const Traffic &traffic, const Machine &machine, const Effort &effort, std::uint64_t seed)
      : traffic_(traffic),
        machine_(machine),
        network_(*machine.network()),
        effort_(effort),
        random_(seed),
        box_(traffic.rows.size(), 0),
        local_(traffic.rows.size(), -1) {
    Box all;
    for (Index group = 0; group < machine.groups(); group++) {
      const Index node = machine.node(group), room = machine.first(group + 1) - machine.first(group);
      if (room_of_.size() <= static_cast<std::size_t>(node)) room_of_.resize(node + 1, 0);
      if (room_of_[node] == 0) all.nodes.push_back(node);
      room_of_[node] += room;
      all.room += room;
    }
    all.ranks.resize(traffic.rows.size());
    std::iota(all.ranks.begin(), all.ranks.end(), 0);
    boxes_.push_back(std::move(all));
  }

  // The node of each rank.
  Indices run(Progress &progress) {
    const double share = Progress::kShare / (static_cast<double>(boxes_[0].nodes.size()) * effort_.bisections);
    Indices current{0};
    while (!current.empty()) {
      std::vector<Halves> made;
      for (const Index box : current)
        if (boxes_[box].nodes.size() > 1 && !boxes_[box].ranks.empty()) made.push_back(halved(box));
      for (int sweep = 0; sweep < effort_.bisections; sweep++)
        for (const Halves &halves : made) {
          divide(halves, sweep > 0);
          progress.add(share);
        }
      current.clear();
      for (const Halves &halves : made) {
        current.push_back(halves.first);
        current.push_back(halves.second);
      }
    }
    Indices node(box_.size());
    for (std::size_t rank = 0; rank < box_.size(); rank++) node[rank] = boxes_[box_[rank]].nodes.front();
    return node;
  }

 private:
  // Two boxes of nodes of one box; the ranks are in the first one.
  Halves halved(Index box) {
    const auto number = static_cast<Index>(boxes_.size());
    auto [first_half, second_half] = network_.halves(boxes_[box].nodes);
    for (Indices *nodes : {&first_half, &second_half}) {
      Box made;
      for (const Index node : *nodes) made.room += room_of_[node];
      made.extent = network_.extent(*nodes);
      made.nodes = std::move(*nodes);
      boxes_.push_back(std::move(made));
    }
    boxes_[number].ranks = std::move(boxes_[box].ranks);
    return {number, number + 1};
  }

  // Price between ranks in different boxes, or in the same one.
  [[nodiscard]] Price apart(const Box &first, const Box &second) const {
    return machine_.price(0) + network_.mean(first.extent, second.extent);
  }
  [[nodiscard]] Price together(const Box &box) const {
    return box.nodes.size() == 1 ? machine_.price(1) : apart(box, box);
  }

  void divide(const Halves &halves, bool is_divided) {
    Box &first = boxes_[halves.first], &second = boxes_[halves.second];
    Indices ranks = first.ranks;
    ranks.insert(ranks.end(), second.ranks.begin(), second.ranks.end());
    const auto count = static_cast<Index>(ranks.size());
    Sides sides;
    if (count <= first.room && !is_divided) {
      sides.assign(count, 0);
    } else {
      const Graph graph = graph_of(ranks, halves);
      const Capacity capacity{std::min(first.room, count), std::min(second.room, count)};
      Bisection bisection = bisect(graph, capacity, effort_, random_, work_);
      sides = std::move(bisection.sides);
      if (is_divided) {  // now more is known about the others
        Sides before(count, 1);
        std::fill(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(first.ranks.size()), 0);
        consider_all(graph, work_);
        if (!bisection.quality.better_than(refine(graph, before, capacity, 0, effort_.fine_passes, effort_, work_)))
          sides = std::move(before);
      }
    }
    make_fit(sides, {first.room, second.room});
    first.ranks.clear();
    second.ranks.clear();
    for (Index v = 0; v < count; v++) {
      box_[ranks[v]] = sides[v] == 0 ? halves.first : halves.second;
      (sides[v] == 0 ? first : second).ranks.push_back(ranks[v]);
    }
  }

  // Edges among the ranks have the additional cost of separating them; edges to others pull to the side that is nearer
  // to them.
  Graph graph_of(const Indices &ranks, const Halves &halves) {
    const Box &first = boxes_[halves.first], &other = boxes_[halves.second];
    const Price parted = apart(first, other) - 0.5 * (together(first) + together(other));
    const Price cut{std::max(0.0, parted.byte), std::max(0.0, parted.message)};
    nearer_.resize(boxes_.size());
    division_++;
    for (std::size_t v = 0; v < ranks.size(); v++) local_[ranks[v]] = static_cast<Index>(v);
    Graph graph;
    graph.ranks.assign(ranks.size(), 1);
    graph.pull.assign(ranks.size(), 0);
    for (std::size_t v = 0; v < ranks.size(); v++) {
      for (std::size_t i = traffic_.rows.first(ranks[v]); i < traffic_.rows.last(ranks[v]); i++) {
        const Index partner = traffic_.rows.adjacent[i];
        const double bytes = traffic_.bytes[i], messages = traffic_.messages.empty() ? 0 : traffic_.messages[i];
        if (local_[partner] < 0) {
          graph.pull[v] += nearer(box_[partner], first, other).of(bytes, messages);
          continue;
        }
        graph.rows.adjacent.push_back(local_[partner]);
        graph.weight.push_back(cut.of(bytes, messages));
      }
      graph.rows.begin.push_back(graph.rows.adjacent.size());
    }
    for (const Index rank : ranks) local_[rank] = -1;
    return graph;
  }

  // How much nearer a box is to the first half than to the second.
  Price nearer(Index box, const Box &first, const Box &other) {
    auto &[known_for, price] = nearer_[box];
    if (known_for != division_) {
      price = network_.mean(other.extent, boxes_[box].extent) - network_.mean(first.extent, boxes_[box].extent);
      known_for = division_;
    }
    return price;
  }

  const Traffic &traffic_;
  const Machine &machine_;
  const Network &network_;
  const Effort &effort_;
  Random random_;
  std::vector<Box> boxes_;
  Indices room_of_;  // slots of each node
  Indices box_;      // of each rank
  Indices local_;    // number of a rank in the box that is being divided
  Index division_ = 0;
  std::vector<std::pair<Index, Price>> nearer_;  // result and its division
  Workspace work_;
};

}  // namespace

Indices place_by_bisection(const Traffic &traffic, const Machine &machine, const Effort &effort, std::uint64_t seed,
                           Parallel &parallel, Progress &progress) {
  const Indices node = RecursiveBisection(traffic, machine, effort, seed).run(progress);
  return place_in_nodes(traffic, machine, node, effort, seed, parallel);
}

Indices place_in_nodes(const Traffic &traffic, const Machine &machine, const Indices &node, const Effort &effort,
                       std::uint64_t seed, Parallel &parallel) {
  const Indices begins = machine.parts(0, machine.slots(), 0);
  const auto count = static_cast<Index>(begins.size()) - 1;
  Indices part_of_node, part(node.size()), all(node.size()), place(node.size());
  for (Index number = 0; number < count; number++) {
    const Index here = machine.node(machine.group(begins[number]));
    part_of_node.resize(std::max<std::size_t>(part_of_node.size(), here + 1), -1);
    part_of_node[here] = number;
  }
  std::transform(node.begin(), node.end(), part.begin(), [&](Index at) { return part_of_node[at]; });
  std::iota(all.begin(), all.end(), 0);
  const std::vector<Part> parts = parts_of(traffic, all, part, count);
  parallel.each(0, count, [&](int number) {
    place_inside(parts[number].traffic, parts[number].ranks, machine, begins[number], begins[number + 1], 1, effort,
                 Random::of_part(seed, number + 1), parallel, place);
  });
  return place;
}

}  // namespace rankwise::placement
