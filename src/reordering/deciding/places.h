// Where processes are, as the placement engine takes it: a row of objects for each, and what a byte costs.
#ifndef RANKWISE_REORDERING_DECIDING_PLACES_H
#define RANKWISE_REORDERING_DECIDING_PLACES_H

#include <cstdint>
#include <string>
#include <vector>

#include "rankwise/machine.h"
#include "rankwise/reordering.h"

namespace rankwise::reordering {

struct Places {
  std::int32_t depth = 0;            // levels of objects
  std::vector<std::int32_t> object;  // [processes][depth], the outermost first
  std::vector<double> per_byte;      // [depth + 1], by the number of objects that two have in common
};

// What a byte costs: levels to go up from the nearest that two slots can be; levels that divide nothing do not count.
// `object` [slots][depth] as in Places; the result as Places::per_byte.
std::vector<double> hops(const std::vector<std::int32_t> &object, std::int32_t depth);

// The slots of a machine that the processes are in: by their hosts, and then by the processors that each may use.
// Those that are not bound to some of their node's are taken to be in the order of their ranks. A runtime_error names
// a host that the machine has not, or has too few slots in. The same rules as python/rankwise/placement/present.py.
Places places_on(const rankwise_machine &machine, const rankwise_whereabouts *where, std::int32_t processes);

// The host of a process.
std::string host_of(const rankwise_whereabouts &where);

// As the processes' own nodes tell.
Places places_of(const rankwise_whereabouts *where, std::int32_t processes);

}  // namespace rankwise::reordering

#endif
