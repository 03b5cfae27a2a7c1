// How long the threads of the process were ready to run and had no processor, and how many of them compute. From
// /proc/self/task/TID/schedstat; where the kernel has none, it is not known.
#ifndef RANKWISE_RUN_QUEUE_H
#define RANKWISE_RUN_QUEUE_H

namespace rankwise::run_queue {

// What is waited from now on counts: MPI_Init has returned, or another session has been opened.
void start();

// With the heartbeat. Not each time: what threads wait that end later is lost only from the latest look on, and of a
// process that is killed seconds are.
void look_now_and_then();

// Unless another thread does so right now: MPI_Abort begins.
void look_if_free();

// MPI_Finalize begins.
void stop();

}  // namespace rankwise::run_queue

#endif
