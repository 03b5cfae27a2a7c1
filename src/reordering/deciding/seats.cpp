// Which slot of a machine each process is in.
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "places.h"

namespace rankwise::reordering {

namespace {

using Indices = std::vector<std::int32_t>;

std::string short_of(const std::string &name) { return name.substr(0, name.find('.')); }
bool has_domain(const std::string &name) { return name.find('.') != std::string::npos; }

// A name with its domain and one without are the same if no other node of the machine has that short name.
class Hosts {
 public:
  explicit Hosts(const rankwise_machine &machine) {
    for (std::int32_t node = 0; node < machine.nodes; node++) {
      const std::string name = machine.host[node];
      nodes_.emplace(name, node);
      alike_[short_of(name)].push_back(node);
    }
    names_ = machine.host;
  }

  [[nodiscard]] std::int32_t node(const std::string &host, std::int32_t rank) const {
    const auto same = nodes_.find(host);
    if (same != nodes_.end()) return same->second;
    Indices others;
    const auto alike = alike_.find(short_of(host));
    if (alike != alike_.end())
      std::copy_if(alike->second.begin(), alike->second.end(), std::back_inserter(others),
                   [&](std::int32_t node) { return has_domain(names_[node]) != has_domain(host); });
    if (others.size() != 1)
      throw std::runtime_error("the machine has no node '" + host + "', where rank " + std::to_string(rank) + " is");
    return others.front();
  }

 private:
  std::unordered_map<std::string, std::int32_t> nodes_;
  std::unordered_map<std::string, Indices> alike_;
  const char *const *names_ = nullptr;
};

bool may_use(const rankwise_whereabouts &where, std::int32_t processor) {
  return processor >= 0 && processor < 64 * RANKWISE_PROCESSOR_WORDS &&
         (where.processors[processor / 64] >> (processor % 64) & 1U) != 0;
}

// Gives each of a node's processes one of the node's slots, `first` ... `last` - 1.
void seat(const Indices &processes, std::int32_t first, std::int32_t last, const rankwise_machine &machine,
          const rankwise_whereabouts *where, Indices &slot) {
  std::vector<bool> taken(static_cast<std::size_t>(last - first), false);
  std::vector<std::pair<Indices, std::int32_t>> bound;  // slots of their processors, and who they are
  for (const std::int32_t process : processes) {
    Indices mine;
    for (std::int32_t place = first; place < last; place++)
      if (may_use(where[process], machine.processor[place])) mine.push_back(place);
    if (!mine.empty() && static_cast<std::int32_t>(mine.size()) < last - first) bound.emplace_back(mine, process);
  }
  const auto take = [&](std::int32_t place, std::int32_t process) {
    taken[static_cast<std::size_t>(place - first)] = true;
    slot[static_cast<std::size_t>(process)] = place;
  };
  const auto is_free = [&](std::int32_t place) { return !taken[static_cast<std::size_t>(place - first)]; };
  // Those with the least choice first.
  std::stable_sort(bound.begin(), bound.end(),
                   [](const auto &a, const auto &b) { return a.first.size() < b.first.size(); });
  for (const auto &[mine, process] : bound) {
    const auto place = std::find_if(mine.begin(), mine.end(), is_free);
    if (place != mine.end()) take(*place, process);
  }
  std::int32_t next = first;
  for (const std::int32_t process : processes) {
    if (slot[static_cast<std::size_t>(process)] >= 0) continue;
    while (!is_free(next)) next++;
    take(next, process);
  }
}

Indices slots_of(const rankwise_machine &machine, const rankwise_whereabouts *where, std::int32_t processes) {
  const Hosts hosts(machine);
  std::vector<Indices> on(static_cast<std::size_t>(machine.nodes));
  for (std::int32_t i = 0; i < processes; i++)
    on[static_cast<std::size_t>(hosts.node(host_of(where[i]), i))].push_back(i);
  Indices slot(static_cast<std::size_t>(processes), -1);
  const std::int32_t *end = machine.node + machine.slots;
  for (std::int32_t node = 0; node < machine.nodes; node++) {
    const Indices &there = on[static_cast<std::size_t>(node)];
    const auto [first, last] = std::equal_range(machine.node, end, node);
    if (static_cast<std::ptrdiff_t>(there.size()) > last - first)
      throw std::runtime_error(std::to_string(there.size()) + " ranks are on '" + machine.host[node] +
                               "', where the machine has " + std::to_string(last - first) + " slot" +
                               (last - first == 1 ? "" : "s"));
    seat(there, static_cast<std::int32_t>(first - machine.node), static_cast<std::int32_t>(last - machine.node),
         machine, where, slot);
  }
  return slot;
}

}  // namespace

Places places_on(const rankwise_machine &machine, const rankwise_whereabouts *where, std::int32_t processes) {
  Places places;
  places.depth = machine.levels;
  const std::int32_t *end = machine.object + static_cast<std::ptrdiff_t>(machine.slots) * machine.levels;
  // Levels that divide something do so in the whole machine, whichever of its slots are ours.
  places.per_byte = hops({machine.object, end}, machine.levels);
  for (const std::int32_t slot : slots_of(machine, where, processes)) {
    const std::int32_t *row = machine.object + static_cast<std::ptrdiff_t>(slot) * machine.levels;
    places.object.insert(places.object.end(), row, row + machine.levels);
  }
  return places;
}

}  // namespace rankwise::reordering
