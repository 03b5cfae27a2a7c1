// The counters of the system and the processor for each region: read at the start and end of regions, but not each
// time, and with the heartbeat. Never in a call.
#ifndef RANKWISE_SYSTEM_COUNTERS_H
#define RANKWISE_SYSTEM_COUNTERS_H

#include <cstdint>

namespace rankwise::system_counters {

// Before MPI_Init, so that the threads that the MPI library starts are counted, too.
void open();

// From now on counts belong to a region: MPI_Init has returned, or another session has been opened.
void start();

// The process goes from one region to another, at `now` (ticks).
void step(std::uint32_t from, std::uint32_t to, std::uint64_t now);

// It is in `region`: reads the counts so far.
void charge(std::uint32_t region);

// The same, unless another thread is doing so. Call from the heartbeat: a killed process loses only a moment.
void charge_if_free(std::uint32_t region);

// Nothing more is counted: MPI_Finalize begins.
void stop();

}  // namespace rankwise::system_counters

#endif
