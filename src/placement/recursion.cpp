#include "recursion.h"

#include <algorithm>
#include <numeric>

#include "divide.h"
#include "random.h"

namespace rankwise::placement {

namespace {

class Recursion {
 public:
  // Completed work is added to the progress, if there is one.
  Recursion(const Machine &machine, Filling filling, const Effort &effort, Parallel &parallel, Indices &place,
            Progress *progress = nullptr)
      : machine_(machine),
        filling_(filling),
        effort_(effort),
        parallel_(parallel),
        place_(place),
        progress_(progress) {}

  // Places ranks into an object whose parts are at `level`; vertex v of the traffic is ranks[v].
  void place(const Traffic &traffic, const Indices &ranks, Object object, int level, std::uint64_t seed) {
    if (level == machine_.depth() || ranks.size() < 2) {
      for (std::size_t i = 0; i < ranks.size(); i++) place_[ranks[i]] = object.first + static_cast<Index>(i);
      if (progress_)
        progress_->add(Progress::kShare * static_cast<double>(ranks.size()) / static_cast<double>(place_.size()));
      return;
    }
    const std::vector<Object> objects = chosen(object, level, static_cast<Index>(ranks.size()));
    if (objects.size() == 1) {
      place(traffic, ranks, objects.front(), level + 1, seed);
      return;
    }
    place_among(traffic, ranks, objects, level, seed);
  }

  // Places ranks into several objects of `level`.
  void place_among(const Traffic &traffic, const Indices &ranks, const std::vector<Object> &objects, int level,
                   std::uint64_t seed) {
    std::vector<Part> parts =
        parts_of(traffic, ranks, divided(traffic, objects, level, seed), static_cast<Index>(objects.size()));
    parallel_.each(0, static_cast<int>(objects.size()), [&](int number) {
      const Part part = std::move(parts[number]);
      place(part.traffic, part.ranks, objects[number], level + 1, Random::of_part(seed, number + 1));
    });
  }

 private:
  // The parts of the object, in the order of their places. If as few as possible are to be filled, only as many as the
  // ranks need, the largest first.
  [[nodiscard]] std::vector<Object> chosen(Object object, int level, Index ranks) const {
    const Indices begins = machine_.parts(object.first, object.last, level);
    std::vector<Object> objects;
    for (std::size_t i = 0; i + 1 < begins.size(); i++) objects.push_back({begins[i], begins[i + 1]});
    if (filling_ == Filling::kEven) return objects;
    std::stable_sort(objects.begin(), objects.end(), [](Object a, Object b) { return a.room() > b.room(); });
    std::size_t count = 0;
    for (Index room = 0; room < ranks; count++) room += objects[count].room();
    objects.resize(count);
    std::sort(objects.begin(), objects.end(), [](Object a, Object b) { return a.first < b.first; });
    return objects;
  }

  // How many ranks each part may get.
  [[nodiscard]] Indices rooms(const std::vector<Object> &objects, Index ranks) const {
    Indices room;
    for (const Object &object : objects) room.push_back(object.room());
    if (filling_ == Filling::kFewest) return room;
    Indices order = room;
    std::sort(order.begin(), order.end());
    Index left = ranks, parts = static_cast<Index>(order.size()), most = 0;
    for (const Index smallest : order) {  // parts with less room than their share leave more to the others
      most = (left + parts - 1) / parts;
      if (smallest >= most) break;
      left -= smallest;
      parts--;
    }
    for (Index &places : room) places = std::min(places, most);
    return room;
  }

  // The savings if two ranks are not separated at this level: at least the step to the next price.
  Indices divided(const Traffic &traffic, const std::vector<Object> &objects, int level, std::uint64_t seed) {
    const Price apart = machine_.price(level), together = machine_.price(level + 1);
    const Graph graph =
        weighed(traffic, std::max(0.0, apart.byte - together.byte), std::max(0.0, apart.message - together.message));
    return divide(graph, rooms(objects, graph.size()), effort_, seed, parallel_);
  }

  const Machine &machine_;
  Filling filling_;
  const Effort &effort_;
  Parallel &parallel_;
  Indices &place_;
  Progress *progress_;
};

}  // namespace

Indices place_by_level(const Traffic &traffic, const Machine &machine, Filling filling, const Effort &effort,
                       std::uint64_t seed, Parallel &parallel, Progress &progress) {
  Indices place(traffic.rows.size()), ranks(traffic.rows.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  Recursion(machine, filling, effort, parallel, place, &progress).place(traffic, ranks, {0, machine.slots()}, 0, seed);
  return place;
}

void place_inside(const Traffic &traffic, const Indices &ranks, const Machine &machine, Index first, Index last,
                  int level, const Effort &effort, std::uint64_t seed, Parallel &parallel, Indices &place) {
  Recursion(machine, Filling::kFewest, effort, parallel, place).place(traffic, ranks, {first, last}, level, seed);
}

void place_among(const Traffic &traffic, const Indices &ranks, const Machine &machine,
                 const std::vector<Object> &objects, int level, const Effort &effort, std::uint64_t seed,
                 Parallel &parallel, Indices &place) {
  Recursion(machine, Filling::kFewest, effort, parallel, place).place_among(traffic, ranks, objects, level, seed);
}

}  // namespace rankwise::placement
