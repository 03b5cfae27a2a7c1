// The slots of processes in the form of the placement engine: a row of objects for each slot, and the cost of a byte.
#ifndef RANKWISE_REORDERING_DECIDING_SLOTS_H
#define RANKWISE_REORDERING_DECIDING_SLOTS_H

#include <cstdint>
#include <vector>

#include "rankwise/machine.h"
#include "rankwise/reordering.h"

namespace rankwise::reordering {

struct Slots {
  std::int32_t depth = 0;            // levels of objects
  std::int32_t node = 0;             // level of the nodes
  std::vector<std::int32_t> object;  // [processes][depth], the outermost first
  std::vector<double> per_byte;      // [depth + 1], by the number of objects that two have in common
};

// The slots of a machine that the processes occupy, see rankwise_find_slots. A runtime_error names a host that is
// missing in the machine or has too few slots there.
Slots slots_on(const rankwise_machine &machine, const rankwise_whereabouts *where, std::int32_t processes);

// The slots according to the processes' own nodes.
Slots slots_of(const rankwise_whereabouts *where, std::int32_t processes);

}  // namespace rankwise::reordering

#endif
