// The cores, caches, packages and NUMA nodes that a processor belongs to, from /sys/devices/system/cpu.
#ifndef RANKWISE_REORDERING_PROCESSORS_H
#define RANKWISE_REORDERING_PROCESSORS_H

#include <cstdint>

namespace rankwise::reordering {

// The kernel's numbers; -1 = not known. Of an L3 cache, the first processor that uses it.
struct Surroundings {
  std::int32_t package = -1;
  std::int32_t numa = -1;
  std::int32_t l3 = -1;
  std::int32_t core = -1;
};

Surroundings surroundings_of(int processor);

}  // namespace rankwise::reordering

#endif
