// The C interface. No exception leaves it.
#include <algorithm>
#include <cstdio>
#include <new>
#include <string>
#include <utility>

#include "hops.h"
#include "hosts.h"
#include "processes.h"
#include "rankwise/machine.h"
#include "slots.h"

namespace {

using rankwise::machine::Misplaced;
using rankwise::machine::Slots;

constexpr char no_memory[] = "there is not enough memory";

std::vector<const char *> pointers_to(const std::vector<std::string> &names) {
  std::vector<const char *> pointers;
  pointers.reserve(names.size());
  for (const std::string &name : names) pointers.push_back(name.c_str());
  return pointers;
}

// The caller's view, and the data that it points into.
struct HeldMachine : rankwise_machine {
  Slots slots_read;
  std::vector<const char *> names;

  explicit HeldMachine(Slots read)
      : rankwise_machine{}, slots_read(std::move(read)), names(pointers_to(slots_read.hosts)) {
    slots = static_cast<std::int32_t>(slots_read.count());
    levels = slots_read.levels();
    nodes = static_cast<std::int32_t>(names.size());
    object = slots_read.objects.data();
    processor = slots_read.processors.data();
    node = slots_read.nodes.data();
    host = names.data();
  }
};

struct HeldHosts : rankwise_hosts {
  std::vector<std::string> hosts;
  std::vector<const char *> names;

  explicit HeldHosts(std::vector<std::string> read)
      : rankwise_hosts{}, hosts(std::move(read)), names(pointers_to(hosts)) {
    count = static_cast<std::int32_t>(names.size());
    name = names.data();
  }
};

template <typename Find>
int report(Find find, char *problem, std::size_t room) {
  try {
    find();
    return RANKWISE_FOUND;
  } catch (const Misplaced &error) {
    snprintf(problem, room, "%s", error.what());
    return error.code;
  } catch (const std::exception &) {
    snprintf(problem, room, "%s", no_memory);
    return RANKWISE_OUT_OF_MEMORY;
  }
}

}  // namespace

#define RANKWISE_EXPORTED __attribute__((visibility("default")))

RANKWISE_EXPORTED rankwise_machine *rankwise_read_machine(const char *path, char *problem, std::size_t room) {
  try {
    return new HeldMachine(rankwise::machine::read_slots(path));
  } catch (const std::bad_alloc &) {
    snprintf(problem, room, "%s: %s", path, no_memory);
  } catch (const std::exception &error) {
    snprintf(problem, room, "%s: %s", path, error.what());
  }
  return nullptr;
}

RANKWISE_EXPORTED void rankwise_free_machine(rankwise_machine *machine) { delete static_cast<HeldMachine *>(machine); }

RANKWISE_EXPORTED rankwise_hosts *rankwise_read_hosts(const char *list, char *problem, std::size_t room) {
  try {
    return new HeldHosts(rankwise::machine::hosts_of(list));
  } catch (const std::bad_alloc &) {
    snprintf(problem, room, "%s", no_memory);
  } catch (const std::exception &error) {
    snprintf(problem, room, "%s", error.what());
  }
  return nullptr;
}

RANKWISE_EXPORTED void rankwise_free_hosts(rankwise_hosts *hosts) { delete static_cast<HeldHosts *>(hosts); }

RANKWISE_EXPORTED int rankwise_find_nodes(const rankwise_machine *machine, const rankwise_processes *processes,
                                          std::int32_t *node, char *problem, std::size_t room) {
  return report(
      [&] {
        const std::vector<std::int32_t> nodes = rankwise::machine::nodes_of(*machine, *processes);
        std::copy(nodes.begin(), nodes.end(), node);
      },
      problem, room);
}

RANKWISE_EXPORTED int rankwise_find_slots(const rankwise_machine *machine, const rankwise_processes *processes,
                                          std::int32_t *slot, std::int32_t *bound, char *problem, std::size_t room) {
  return report(
      [&] {
        const rankwise::machine::Found slots = rankwise::machine::slots_of(*machine, *processes);
        std::copy(slots.slot.begin(), slots.slot.end(), slot);
        *bound = slots.bound;
      },
      problem, room);
}

RANKWISE_EXPORTED int rankwise_hops(const std::int32_t *object, std::int32_t slots, std::int32_t levels,
                                    double *per_byte) {
  try {
    const std::size_t count = static_cast<std::size_t>(slots) * static_cast<std::size_t>(levels);
    const std::vector<double> hops = rankwise::machine::hops({object, count}, levels);
    std::copy(hops.begin(), hops.end(), per_byte);
    return RANKWISE_FOUND;
  } catch (const std::exception &) {
    return RANKWISE_OUT_OF_MEMORY;
  }
}
