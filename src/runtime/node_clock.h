// Whose clock the ticks of this process are of: all processes of a node have one and the same.
#ifndef RANKWISE_NODE_CLOCK_H
#define RANKWISE_NODE_CLOCK_H

#include <cstdint>

namespace rankwise::node_clock {

// A number of this node since it was started, and of no other; 0 if it can't be told.
std::uint64_t id();

// Of tests: RANKWISE_TEST_CLOCKS, such as "a:0,b:-3600000000000", names hosts, and by how many nanoseconds their
// clocks are ahead. To be called before there is anything to time.
void read_test();

}  // namespace rankwise::node_clock

#endif
