// Where the process runs: the processors that it may use, those that it is seen on, and its threads.
#ifndef RANKWISE_PLACE_H
#define RANKWISE_PLACE_H

namespace rankwise::place {

// What the environment asks for the threads of OpenMP.
void read_environment();

// Notes the processor that the calling thread runs on. Where regions begin and end, and with the heartbeat.
void look();

// What all threads may use and have used: MPI_Finalize begins.
void look_at_threads();

}  // namespace rankwise::place

#endif
