// What the system and the processor count of the process, for each region: read where regions begin and end, but not
// each time, and with the heartbeat. Never in a call.
#ifndef RANKWISE_SYSTEM_COUNTERS_H
#define RANKWISE_SYSTEM_COUNTERS_H

#include <cstdint>

namespace rankwise::system_counters {

// Before MPI_Init, so that the threads that the MPI library starts are counted, too.
void open();

// What is counted from now on belongs to a region: MPI_Init has returned, or another session has been opened.
void start();

// The process goes from one region to another, at `now` (ticks).
void step(std::uint32_t from, std::uint32_t to, std::uint64_t now);

// It is in `region`: what has been counted so far is read.
void charge(std::uint32_t region);

// The same, unless another thread does so right now. To be called by the heartbeat: of a process that is killed no
// more than a moment is lost.
void charge_if_free(std::uint32_t region);

// Nothing more is counted: MPI_Finalize begins.
void stop();

}  // namespace rankwise::system_counters

#endif
