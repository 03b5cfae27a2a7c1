// What this node is like: its processors, the devices that are nearer to some of them, and its kernel.
#ifndef RANKWISE_NODE_SHAPE_H
#define RANKWISE_NODE_SHAPE_H

namespace rankwise::node_shape {

// Writes it into the counters, as the kernel reports it. Call in one process of the node.
void record();

// In the process that has written it: starts and stops measuring the use of the processors. MPI_Init has returned;
// MPI_Finalize begins.
void start_counting();
void stop_counting();

}  // namespace rankwise::node_shape

#endif
