// What is inside of this node: its processors, and the devices that are nearer to some of them.
#ifndef RANKWISE_NODE_SHAPE_H
#define RANKWISE_NODE_SHAPE_H

namespace rankwise::node_shape {

// Writes it into the counters, as the kernel tells it; to be called by one process of the node.
void record();

// Of the process that has written it: what anything takes of the processors counts from now on, and no longer.
// MPI_Init has returned; MPI_Finalize begins.
void start_counting();
void stop_counting();

}  // namespace rankwise::node_shape

#endif
