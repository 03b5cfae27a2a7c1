// The network adapters of this node, by which its ranks are found in a fabric, and which of them the ranks may use.
#ifndef RANKWISE_ADAPTERS_H
#define RANKWISE_ADAPTERS_H

namespace rankwise::adapters {

// Writes every port of every adapter into the counters, as the kernel tells it; for one process of the node to call.
void record();

// Writes what the environment chooses of them; for every process to call: each may have been told another one.
void record_choices();

}  // namespace rankwise::adapters

#endif
