// The C interface: checks its input, and lets no exception out.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <new>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "assignment.h"
#include "engine.h"
#include "loads.h"
#include "moves.h"
#include "network/network.h"
#include "parts.h"
#include "rankwise/placement.h"
#include "swaps.h"
#include "traffic.h"

namespace rankwise::placement {

namespace {

bool is_number(double value) { return std::isfinite(value) && value >= 0; }

bool are_numbers(const double *values, std::int64_t count) { return std::all_of(values, values + count, is_number); }

bool are_within(const std::int32_t *values, std::int64_t count, std::int32_t end) {
  return std::all_of(values, values + count, [end](std::int32_t value) { return value >= 0 && value < end; });
}

bool is_good(const rankwise_traffic &traffic) {
  if (traffic.ranks < 1 || traffic.entries < 0) return false;
  return are_within(traffic.source, traffic.entries, traffic.ranks) &&
         are_within(traffic.destination, traffic.entries, traffic.ranks) &&
         are_numbers(traffic.bytes, traffic.entries) &&
         (!traffic.messages || are_numbers(traffic.messages, traffic.entries));
}

bool is_good(const rankwise_slots &slots) {
  return slots.slots > 0 && slots.depth > 0 && are_numbers(slots.per_byte, slots.depth + 1) &&
         (!slots.per_message || are_numbers(slots.per_message, slots.depth + 1)) &&
         (!slots.per_link_byte ||
          are_numbers(slots.per_link_byte, static_cast<std::int64_t>(slots.slots) * slots.depth));
}

bool is_good(const rankwise_pairs &pairs) {
  return pairs.rows >= 0 && pairs.columns >= 0 && pairs.pairs >= 0 && are_within(pairs.row, pairs.pairs, pairs.rows) &&
         are_within(pairs.column, pairs.pairs, pairs.columns) && are_numbers(pairs.weight, pairs.pairs);
}

// Whether each node is exactly one object of the level.
bool is_good(const rankwise_network &network, const rankwise_slots &slots) {
  if (!is_network(network) || network.level >= slots.depth) return false;
  std::vector<const std::int32_t *> known(network.nodes, nullptr);
  for (std::int32_t slot = 0; slot < slots.slots; slot++) {
    const std::int32_t *objects = slots.object + static_cast<std::size_t>(slot) * slots.depth;
    const std::int32_t node = objects[network.level];
    if (node < 0 || node >= network.nodes) return false;
    if (known[node] && !std::equal(objects, objects + network.level, known[node])) return false;
    known[node] = objects;
  }
  return true;
}

bool is_placement(const std::int32_t *slot, std::int32_t ranks, std::int32_t slots) {
  if (!are_within(slot, ranks, slots)) return false;
  std::vector<std::uint8_t> taken(slots, 0);
  return std::none_of(slot, slot + ranks, [&](std::int32_t used) { return taken[used]++ != 0; });
}

int check(const rankwise_traffic &traffic, const rankwise_slots &slots, const std::int32_t *placement) {
  if (!is_good(traffic)) return RANKWISE_BAD_TRAFFIC;
  if (!is_good(slots)) return RANKWISE_BAD_SLOTS;
  if (slots.network && !is_good(*slots.network, slots)) return RANKWISE_BAD_NETWORK;
  if (traffic.ranks > slots.slots) return RANKWISE_TOO_MANY_RANKS;
  if (placement && !is_placement(placement, traffic.ranks, slots.slots)) return RANKWISE_BAD_PRESENT;
  return RANKWISE_PLACED;
}

int place(const rankwise_traffic &traffic, const rankwise_slots &slots, const rankwise_wishes &wishes,
          const Objective &objective, std::int32_t *slot, rankwise_costs *sums, rankwise_costs *loads) {
  const int error = check(traffic, slots, wishes.present);
  if (error != RANKWISE_PLACED) return error;
  if (wishes.present && (wishes.node < 0 || wishes.node >= slots.depth)) return RANKWISE_BAD_SLOTS;
  const Found placement = find_placement(symmetric(traffic), slots, wishes, objective);
  std::copy(placement.slot.begin(), placement.slot.end(), slot);
  if (sums) *sums = placement.sums;
  if (loads) *loads = placement.loads;
  return RANKWISE_PLACED;
}

int place_by_wish(const rankwise_traffic &traffic, const rankwise_slots &slots, const rankwise_wishes &wishes,
                  std::int32_t *slot, rankwise_costs *costs) {
  switch (wishes.objective) {
    case RANKWISE_SUM:
      return place(traffic, slots, wishes, {}, slot, costs, nullptr);
    case RANKWISE_BOTTLENECK:
      return place(traffic, slots, wishes, {.is_load = true}, slot, nullptr, costs);
    default:
      return RANKWISE_BAD_OBJECTIVE;
  }
}

int place_both(const rankwise_traffic &traffic, const rankwise_slots &slots, const rankwise_wishes &wishes,
               double extra, std::int32_t *slot, rankwise_costs *sums, rankwise_costs *loads) {
  if (!is_number(extra)) return RANKWISE_BAD_OBJECTIVE;
  return place(traffic, slots, wishes, {.is_load = true, .extra = extra}, slot, sums, loads);
}

int weigh(const rankwise_traffic &traffic, const rankwise_slots &slots, const std::int32_t *slot, double *sum,
          rankwise_link *most_loaded) {
  const int error = check(traffic, slots, slot);
  if (error != RANKWISE_PLACED) return error;
  const auto network = slots.network ? network_of(*slots.network) : nullptr;
  const Traffic both = symmetric(traffic);
  const Machine machine(slots, network.get());
  Indices place_of(slots.slots), place;
  for (Index at = 0; at < slots.slots; at++) place_of[machine.slot(at)] = at;
  std::transform(slot, slot + traffic.ranks, std::back_inserter(place), [&](Index used) { return place_of[used]; });
  const Links links(slots, network.get());
  const Loads loads(both, links, {slot, slot + traffic.ranks});
  *sum = cost_of(both, machine, place);
  *most_loaded = links.named(loads.most_loaded());
  most_loaded->load = loads.highest();
  return RANKWISE_PLACED;
}

int choose_pairs(const rankwise_pairs &pairs, std::uint8_t *chosen) {
  if (!is_good(pairs)) return RANKWISE_BAD_PAIRS;
  choose(pairs, chosen);
  return RANKWISE_PLACED;
}

int move_least(const rankwise_slots &slots, std::int32_t fixed, std::int32_t ranks, const std::int32_t *present,
               std::int32_t *slot) {
  if (slots.slots <= 0 || slots.depth <= 0 || fixed < 0 || fixed > slots.depth) return RANKWISE_BAD_SLOTS;
  if (ranks > slots.slots) return RANKWISE_TOO_MANY_RANKS;
  if (ranks < 0 || !is_placement(present, ranks, slots.slots) || !is_placement(slot, ranks, slots.slots))
    return RANKWISE_BAD_PRESENT;
  const Indices moved = minimal_moves(Parts(slots, fixed), {slot, slot + ranks}, {present, present + ranks});
  std::copy(moved.begin(), moved.end(), slot);
  return RANKWISE_PLACED;
}

// No exception leaves the library.
template <typename Work>
int guarded(const Work &work) {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    return RANKWISE_NO_MEMORY;
  } catch (const std::length_error &) {  // more than a vector can have
    return RANKWISE_NO_MEMORY;
  } catch (const std::system_error &) {  // no further thread can be started
    return RANKWISE_NO_MEMORY;
  }
}

}  // namespace

}  // namespace rankwise::placement

#define RANKWISE_EXPORTED __attribute__((visibility("default")))

RANKWISE_EXPORTED int rankwise_place(const rankwise_traffic *traffic, const rankwise_slots *slots,
                                     const rankwise_wishes *wishes, std::int32_t *slot, rankwise_costs *costs) {
  using namespace rankwise::placement;
  return guarded([&] { return place_by_wish(*traffic, *slots, *wishes, slot, costs); });
}

RANKWISE_EXPORTED int rankwise_place_both(const rankwise_traffic *traffic, const rankwise_slots *slots,
                                          const rankwise_wishes *wishes, double extra, std::int32_t *slot,
                                          rankwise_costs *sums, rankwise_costs *loads) {
  using namespace rankwise::placement;
  return guarded([&] { return place_both(*traffic, *slots, *wishes, extra, slot, sums, loads); });
}

RANKWISE_EXPORTED int rankwise_weigh(const rankwise_traffic *traffic, const rankwise_slots *slots,
                                     const std::int32_t *slot, double *sum, rankwise_link *most_loaded) {
  using namespace rankwise::placement;
  return guarded([&] { return weigh(*traffic, *slots, slot, sum, most_loaded); });
}

RANKWISE_EXPORTED int rankwise_choose_pairs(const rankwise_pairs *pairs, std::uint8_t *chosen) {
  using namespace rankwise::placement;
  return guarded([&] { return choose_pairs(*pairs, chosen); });
}

RANKWISE_EXPORTED int rankwise_minimal_moves(const rankwise_slots *slots, std::int32_t fixed, std::int32_t ranks,
                                             const std::int32_t *present, std::int32_t *slot) {
  using namespace rankwise::placement;
  return guarded([&] { return move_least(*slots, fixed, ranks, present, slot); });
}

RANKWISE_EXPORTED const char *rankwise_placement_error(int error) {
  switch (error) {
    case RANKWISE_PLACED:
      return "placed";
    case RANKWISE_BAD_TRAFFIC:
      return "a rank is out of range, or a number of bytes or messages is negative or not finite";
    case RANKWISE_BAD_SLOTS:
      return "there are no slots or no levels, or a cost is negative or not finite";
    case RANKWISE_BAD_NETWORK:
      return "the network is of no known kind, a node is not in it or in two places, its tables do not lead from "
             "every node to every other one, or a cost is negative or not finite";
    case RANKWISE_BAD_PRESENT:
      return "the present placement has a slot that does not exist, or one twice";
    case RANKWISE_TOO_MANY_RANKS:
      return "there are more ranks than slots";
    case RANKWISE_BAD_OBJECTIVE:
      return "there is no such objective, or the share that the sum may grow by is negative or not finite";
    case RANKWISE_BAD_PAIRS:
      return "a pair is out of range, or its weight is no finite number of at least 0";
    case RANKWISE_NO_MEMORY:
      return "there is not enough memory";
    default:
      return "unknown error";
  }
}
