#include "slots.h"

#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace rankwise::reordering {

namespace {

std::string host_of(const rankwise_whereabouts &where) { return {where.host, strnlen(where.host, sizeof where.host)}; }

std::vector<double> hops(const std::int32_t *object, std::int32_t slots, std::int32_t levels) {
  std::vector<double> per_byte(static_cast<std::size_t>(levels) + 1);
  if (rankwise_hops(object, slots, levels, per_byte.data()) != RANKWISE_FOUND) throw std::bad_alloc();
  return per_byte;
}

std::vector<std::int32_t> find_slots(const rankwise_machine &machine, const rankwise_whereabouts *where,
                                     std::int32_t processes) {
  std::vector<std::string> names;
  std::vector<std::int64_t> first{0};
  std::vector<std::int32_t> processors;
  for (std::int32_t i = 0; i < processes; i++) {
    names.push_back(host_of(where[i]));
    for (std::int32_t processor = 0; processor < 64 * RANKWISE_PROCESSOR_WORDS; processor++)
      if ((where[i].processors[processor / 64] >> (processor % 64) & 1U) != 0) processors.push_back(processor);
    first.push_back(static_cast<std::int64_t>(processors.size()));
  }
  std::vector<const char *> hosts;
  hosts.reserve(names.size());
  for (const std::string &name : names) hosts.push_back(name.c_str());
  const rankwise_processes given{processes, 0, hosts.data(), first.data(), processors.data()};
  std::vector<std::int32_t> slot(static_cast<std::size_t>(processes));
  std::int32_t bound = 0;
  char problem[512];
  if (rankwise_find_slots(&machine, &given, slot.data(), &bound, problem, sizeof problem) != RANKWISE_FOUND)
    throw std::runtime_error(problem);
  return slot;
}

// The outermost level whose objects contain one node each.
std::int32_t level_of_nodes(const rankwise_machine &machine) {
  const auto parts_nodes = [&machine](std::int32_t level) {
    for (std::int32_t slot = 1; slot < machine.slots; slot++) {
      const std::int32_t *row = machine.object + static_cast<std::ptrdiff_t>(slot) * machine.levels;
      if ((row[level] != row[level - machine.levels]) != (machine.node[slot] != machine.node[slot - 1])) return false;
    }
    return true;
  };
  std::int32_t level = 0;
  while (level < machine.levels - 1 && !parts_nodes(level)) level++;
  return level;
}

}  // namespace

Slots slots_of(const rankwise_whereabouts *where, std::int32_t processes) {
  Slots slots;
  slots.depth = 6;
  std::unordered_map<std::string, std::int32_t> nodes;
  for (std::int32_t i = 0; i < processes; i++) {
    const rankwise_whereabouts &here = where[i];
    const std::int32_t node = nodes.emplace(host_of(here), static_cast<std::int32_t>(nodes.size())).first->second;
    // A process in several objects is near only to processes in the same enclosing object: it gets a separate object.
    const std::int32_t own = -1 - i;
    const auto known = [own](std::int32_t number) { return number < 0 ? own : number; };
    // Each process is a separate slot, even if several share a core.
    slots.object.insert(slots.object.end(),
                        {node, known(here.package), known(here.numa), known(here.l3), known(here.core), i});
  }
  slots.per_byte = hops(slots.object.data(), processes, slots.depth);
  return slots;
}

Slots slots_on(const rankwise_machine &machine, const rankwise_whereabouts *where, std::int32_t processes) {
  Slots slots;
  slots.depth = machine.levels;
  slots.node = level_of_nodes(machine);
  // The costs follow from the levels of the whole machine, not only from the slots in use.
  slots.per_byte = hops(machine.object, machine.slots, machine.levels);
  for (const std::int32_t slot : find_slots(machine, where, processes)) {
    const std::int32_t *row = machine.object + static_cast<std::ptrdiff_t>(slot) * machine.levels;
    slots.object.insert(slots.object.end(), row, row + machine.levels);
  }
  return slots;
}

}  // namespace rankwise::reordering
