// The C interface: one process decides for all. No exception leaves it.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "distances.h"
#include "outlook.h"
#include "rankwise/reordering.h"
#include "slots.h"

namespace rankwise::reordering {

namespace {

int effort_for(std::int32_t processes) { return processes <= 256 ? 3 : processes <= 4096 ? 2 : 1; }

// The slot of each role; its costs.
std::vector<std::int32_t> placed(const rankwise_traffic &traffic, const Slots &given, std::int32_t processes,
                                 rankwise_costs &costs) {
  rankwise_slots slots{};
  slots.slots = processes;
  slots.depth = given.depth;
  slots.object = given.object.data();
  slots.per_byte = given.per_byte.data();
  std::vector<std::int32_t> present(static_cast<std::size_t>(std::max(traffic.ranks, 0)));
  std::iota(present.begin(), present.end(), 0);
  // The others wait, each on its processor.
  rankwise_wishes wishes{};
  wishes.effort = effort_for(processes);
  wishes.threads = 1;
  wishes.seed = 1;
  wishes.present = present.data();
  wishes.node = given.node;
  std::vector<std::int32_t> slot(present.size());
  const int error = rankwise_place(&traffic, &slots, &wishes, slot.data(), &costs);
  if (error != RANKWISE_PLACED) throw std::runtime_error(rankwise_placement_error(error));
  return slot;
}

// RATIONALE: slots are processes. Role r goes to the process slot[r], and roles are ranks: that process gets rank r. So
// this is the inverse of `slot`.
void to_new_ranks(const std::vector<std::int32_t> &slot, std::int32_t processes, std::int32_t *new_rank) {
  std::fill_n(new_rank, processes, -1);
  std::int32_t next = 0;
  for (const std::int32_t process : slot) new_rank[process] = next++;
  for (std::int32_t process = 0; process < processes; process++)
    if (new_rank[process] < 0) new_rank[process] = next++;
}

struct BadMachine : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Slots slots_for(const char *path, const rankwise_whereabouts *where, std::int32_t processes) {
  if (path == nullptr) return slots_of(where, processes);
  char problem[512];
  const std::unique_ptr<rankwise_machine, decltype(&rankwise_free_machine)> machine(
      rankwise_read_machine(path, problem, sizeof problem), rankwise_free_machine);
  if (!machine) throw BadMachine(problem);
  try {
    return slots_on(*machine, where, processes);
  } catch (const std::runtime_error &error) {
    throw BadMachine(std::string(path) + ": " + error.what());
  }
}

bool reorder(const rankwise_traffic &traffic, const Slots &slots, std::int32_t processes, std::int32_t *new_rank,
             double &before, double &after) {
  rankwise_costs costs{};
  const std::vector<std::int32_t> slot = placed(traffic, slots, processes, costs);
  before = after = costs.present;
  if (!(costs.found < costs.present)) {
    std::iota(new_rank, new_rank + processes, 0);
    return false;
  }
  after = costs.found;
  to_new_ranks(slot, processes, new_rank);
  return true;
}

// Calls work() and turns what it throws into an error and its reason.
template <class Work>
int without_exceptions(char *problem, std::size_t room, Work work) {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    snprintf(problem, room, "there is not enough memory");
  } catch (const BadMachine &error) {
    snprintf(problem, room, "%s", error.what());
    return RANKWISE_BAD_MACHINE;
  } catch (const std::exception &error) {
    snprintf(problem, room, "%s", error.what());
  }
  return RANKWISE_NOT_REORDERED;
}

}  // namespace

}  // namespace rankwise::reordering

#define RANKWISE_EXPORTED __attribute__((visibility("default")))
namespace reordering = rankwise::reordering;

RANKWISE_EXPORTED int rankwise_new_ranks(const rankwise_traffic *traffic, const rankwise_whereabouts *where,
                                         std::int32_t processes, const char *machine, std::int32_t *new_rank,
                                         double *before, double *after, char *problem, std::size_t room) {
  return reordering::without_exceptions(problem, room, [=] {
    const reordering::Slots slots = reordering::slots_for(machine, where, processes);
    return reordering::reorder(*traffic, slots, processes, new_rank, *before, *after) ? RANKWISE_REORDERED
                                                                                      : RANKWISE_KEPT;
  });
}

RANKWISE_EXPORTED int rankwise_pairs_by_distance(const rankwise_whereabouts *where, std::int32_t processes,
                                                 const char *machine, std::int32_t *partner, std::int32_t *distances,
                                                 char *problem, std::size_t room) {
  return reordering::without_exceptions(problem, room, [=] {
    const reordering::Slots slots = reordering::slots_for(machine, where, processes);
    *distances = reordering::Distances(slots).pairs(processes, partner);
    return RANKWISE_KEPT;
  });
}

RANKWISE_EXPORTED int rankwise_evaluate_order(const rankwise_traffic *traffic, const rankwise_whereabouts *where,
                                              std::int32_t processes, const char *machine, const std::int32_t *new_rank,
                                              const double *per_message, const double *per_byte, const double *block,
                                              rankwise_outlook *outlook, char *problem, std::size_t room) {
  return reordering::without_exceptions(problem, room, [=] {
    const reordering::Slots slots = reordering::slots_for(machine, where, processes);
    *outlook = reordering::outlook(*traffic, slots, processes, new_rank, {per_message, per_byte}, block);
    return RANKWISE_KEPT;
  });
}
