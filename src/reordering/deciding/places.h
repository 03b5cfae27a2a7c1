// Where processes are, as the placement engine takes it: a row of objects for each, and what a byte costs.
#ifndef RANKWISE_REORDERING_DECIDING_PLACES_H
#define RANKWISE_REORDERING_DECIDING_PLACES_H

#include <cstdint>
#include <vector>

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

// As the processes' own nodes tell.
Places places_of(const rankwise_whereabouts *where, std::int32_t processes);

}  // namespace rankwise::reordering

#endif
