// From what the caller gives to a symmetric graph.
#ifndef RANKWISE_PLACEMENT_TRAFFIC_H
#define RANKWISE_PLACEMENT_TRAFFIC_H

#include "graph.h"
#include "rankwise/placement.h"

namespace rankwise::placement {

// Both directions together, and how much of that goes one way; entries of one pair add up; without what ranks send
// themselves.
Traffic symmetric(const rankwise_traffic &given);

}  // namespace rankwise::placement

#endif
