// Converts the caller's traffic to a symmetric graph.
#ifndef RANKWISE_PLACEMENT_TRAFFIC_H
#define RANKWISE_PLACEMENT_TRAFFIC_H

#include "graph.h"
#include "rankwise/placement.h"

namespace rankwise::placement {

// Both directions together, and the part of one direction; entries of one pair add up; without messages from a rank to
// itself.
Traffic symmetric(const rankwise_traffic &given);

}  // namespace rankwise::placement

#endif
