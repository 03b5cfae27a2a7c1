// How long the threads of the process were ready to run and had no processor, and how many of them compute. From
// /proc/self/task/TID/schedstat; unknown if the kernel doesn't have it.
#ifndef RANKWISE_RUN_QUEUE_H
#define RANKWISE_RUN_QUEUE_H

namespace rankwise::run_queue {

// Waiting counts from now on: MPI_Init has returned, or another session has been opened.
void start();

// With the heartbeat. Not each time: threads that end later lose only their wait since the latest sample, and a killed
// process loses seconds.
void look_now_and_then();

// Unless another thread is doing so: MPI_Abort begins.
void look_if_free();

// MPI_Finalize begins.
void stop();

}  // namespace rankwise::run_queue

#endif
