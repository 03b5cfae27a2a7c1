#include "processes.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace rankwise::machine {

namespace {

using Indices = std::vector<std::int32_t>;

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }
// An address such as 10.0.0.1 has no domain.
bool has_domain(std::string_view name) {
  return name.find('.') != std::string_view::npos && name.find_first_not_of("0123456789.") != std::string_view::npos;
}
std::string_view short_of(std::string_view name) { return has_domain(name) ? name.substr(0, name.find('.')) : name; }

// A name with its domain equals the short name if no other node of the machine has that short name.
class Hosts {
 public:
  explicit Hosts(const rankwise_machine &machine) : names_(machine.host) {
    for (std::int32_t node = 0; node < machine.nodes; node++) {
      nodes_.emplace(names_[node], node);
      by_short_name_[short_of(names_[node])].push_back(node);
    }
  }

  [[nodiscard]] std::int32_t node(std::string_view host, std::int32_t rank, const char *is) const {
    const auto same = nodes_.find(host);
    if (same != nodes_.end()) return same->second;
    Indices others;
    const auto candidates = by_short_name_.find(short_of(host));
    if (candidates != by_short_name_.end())
      std::copy_if(candidates->second.begin(), candidates->second.end(), std::back_inserter(others),
                   [&](std::int32_t node) { return has_domain(names_[node]) != has_domain(host); });
    if (others.size() != 1)
      throw Misplaced(RANKWISE_NO_NODE, "the machine has no node " + quoted(host) + which_of(others) + ", where rank " +
                                            std::to_string(rank) + " " + is);
    return others.front();
  }

 private:
  [[nodiscard]] std::string which_of(const Indices &nodes) const {
    std::string text;
    for (const std::int32_t node : nodes) text += (text.empty() ? ", which one of " : ", ") + quoted(names_[node]);
    return nodes.empty() ? "" : text + " may be";
  }

  std::unordered_map<std::string_view, std::int32_t> nodes_;
  std::unordered_map<std::string_view, Indices> by_short_name_;
  const char *const *names_;
};

// Gives each of a node's processes one of the node's slots, `first` ... `last` - 1; returns how many were bound.
std::int32_t bind(const Indices &here, std::int32_t first, std::int32_t last, const rankwise_machine &machine,
                  const rankwise_processes &processes, Indices &slot) {
  std::unordered_map<std::int32_t, Indices> with;  // slots by their processor
  for (std::int32_t place = first; place < last; place++)
    if (machine.processor[place] >= 0) with[machine.processor[place]].push_back(place);
  std::vector<std::pair<Indices, std::int32_t>> bound;  // slots of their processors, and the processes
  for (const std::int32_t process : here) {
    Indices mine;
    for (std::int64_t at = processes.first[process]; at < processes.first[process + 1]; at++) {
      const auto slots_of_processor = with.find(processes.processor[at]);
      if (slots_of_processor != with.end())
        mine.insert(mine.end(), slots_of_processor->second.begin(), slots_of_processor->second.end());
    }
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    if (!mine.empty() && static_cast<std::int32_t>(mine.size()) < last - first) bound.emplace_back(mine, process);
  }
  std::vector<bool> taken(static_cast<std::size_t>(last - first), false);
  const auto take = [&](std::int32_t place, std::int32_t process) {
    taken[static_cast<std::size_t>(place - first)] = true;
    slot[static_cast<std::size_t>(process)] = place;
  };
  const auto is_free = [&](std::int32_t place) { return !taken[static_cast<std::size_t>(place - first)]; };
  // Processes with the fewest possible slots first.
  std::stable_sort(bound.begin(), bound.end(),
                   [](const auto &a, const auto &b) { return a.first.size() < b.first.size(); });
  for (const auto &[mine, process] : bound) {
    const auto place = std::find_if(mine.begin(), mine.end(), is_free);
    if (place != mine.end()) take(*place, process);
  }
  std::int32_t next = first;
  for (const std::int32_t process : here) {
    if (slot[static_cast<std::size_t>(process)] >= 0) continue;
    while (!is_free(next)) next++;
    take(next, process);
  }
  return static_cast<std::int32_t>(bound.size());
}

}  // namespace

Indices nodes_of(const rankwise_machine &machine, const rankwise_processes &processes) {
  const Hosts hosts(machine);
  Indices node;
  for (std::int32_t i = 0; i < processes.count; i++)
    node.push_back(hosts.node(processes.host[i], i, processes.ended != 0 ? "was" : "is"));
  return node;
}

Found slots_of(const rankwise_machine &machine, const rankwise_processes &processes) {
  std::vector<Indices> on(static_cast<std::size_t>(machine.nodes));
  std::int32_t rank = 0;
  for (const std::int32_t node : nodes_of(machine, processes)) on[static_cast<std::size_t>(node)].push_back(rank++);
  Found result{Indices(static_cast<std::size_t>(processes.count), -1), 0};
  const std::int32_t *end = machine.node + machine.slots;
  for (std::int32_t node = 0; node < machine.nodes; node++) {
    const Indices &here = on[static_cast<std::size_t>(node)];
    const auto [first, last] = std::equal_range(machine.node, end, node);
    if (static_cast<std::ptrdiff_t>(here.size()) > last - first)
      throw Misplaced(RANKWISE_NO_ROOM, std::to_string(here.size()) + " ranks " +
                                            (processes.ended != 0 ? "were" : "are") + " on " +
                                            quoted(machine.host[node]) + ", where the machine has " +
                                            std::to_string(last - first) + " slot" + (last - first == 1 ? "" : "s"));
    result.bound += bind(here, static_cast<std::int32_t>(first - machine.node),
                         static_cast<std::int32_t>(last - machine.node), machine, processes, result.slot);
  }
  return result;
}

}  // namespace rankwise::machine
