// The network adapters of this node, which identify its ranks in a fabric, and the adapters that the ranks may use.
#ifndef RANKWISE_ADAPTERS_H
#define RANKWISE_ADAPTERS_H

namespace rankwise::adapters {

// Writes every port of every adapter into the counters, as the kernel reports it. Call in one process of the node.
void record();

// Writes which adapters the environment selects. Call in every process: each may have another selection.
void record_choices();

}  // namespace rankwise::adapters

#endif
