#ifndef RANKWISE_PLACEMENT_ASSIGNMENT_H
#define RANKWISE_PLACEMENT_ASSIGNMENT_H

#include <cstdint>

#include "rankwise/placement.h"

namespace rankwise::placement {

// Marks with 1 the pairs with the largest sum of weights, no two with the same row or column; the others with 0.
void choose(const rankwise_pairs &pairs, std::uint8_t *chosen);

}  // namespace rankwise::placement

#endif
