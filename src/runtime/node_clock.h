// Identifies the clock of this process's ticks: all processes of a node share one.
#ifndef RANKWISE_NODE_CLOCK_H
#define RANKWISE_NODE_CLOCK_H

#include <cstdint>

namespace rankwise::node_clock {

// A number that identifies this node since its boot; 0 if it is unknown.
std::uint64_t id();

// For tests: RANKWISE_TEST_CLOCKS, such as "a:0,b:-3600000000000", names hosts, and by how many nanoseconds their
// clocks are ahead. Call before anything is timed.
void read_test();

}  // namespace rankwise::node_clock

#endif
