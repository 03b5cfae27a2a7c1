// Where the process runs: the processors that it may use, the processors that it was seen on, and its threads.
#ifndef RANKWISE_PLACE_H
#define RANKWISE_PLACE_H

namespace rankwise::place {

// The settings of the environment for the threads of OpenMP.
void read_environment();

// Notes the processor of the calling thread. At the start and end of regions, and with the heartbeat.
void look();

// The processors that all threads may use and have used: MPI_Finalize begins.
void look_at_threads();

}  // namespace rankwise::place

#endif
