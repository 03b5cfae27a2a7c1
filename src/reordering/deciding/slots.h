// The slots that processes are in, as the placement engine takes them: a row of objects for each, and what a byte
// costs.
#ifndef RANKWISE_REORDERING_DECIDING_SLOTS_H
#define RANKWISE_REORDERING_DECIDING_SLOTS_H

#include <cstdint>
#include <vector>

#include "rankwise/machine.h"
#include "rankwise/reordering.h"

namespace rankwise::reordering {

struct Slots {
  std::int32_t depth = 0;            // levels of objects
  std::int32_t node = 0;             // that of the nodes
  std::vector<std::int32_t> object;  // [processes][depth], the outermost first
  std::vector<double> per_byte;      // [depth + 1], by the number of objects that two have in common
};

// The slots of a machine that the processes are in, see rankwise_find_slots. A runtime_error names a host that the
// machine has not, or has too few slots in.
Slots slots_on(const rankwise_machine &machine, const rankwise_whereabouts *where, std::int32_t processes);

// From the reports of the processes' own nodes.
Slots slots_of(const rankwise_whereabouts *where, std::int32_t processes);

}  // namespace rankwise::reordering

#endif
