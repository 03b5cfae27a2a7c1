// The cost of a byte between slots, in levels of the machine.
#ifndef RANKWISE_MACHINE_HOPS_H
#define RANKWISE_MACHINE_HOPS_H

#include <cstdint>
#include <span>
#include <vector>

namespace rankwise::machine {

// As rankwise_hops of include/rankwise/machine.h; `object` [slots][depth].
std::vector<double> hops(std::span<const std::int32_t> object, std::int32_t depth);

}  // namespace rankwise::machine

#endif
