// The activity of this process since MPI was initialised, on a communicator and on the windows and files made from it.
#ifndef RANKWISE_INTROSPECTION_SO_FAR_H
#define RANKWISE_INTROSPECTION_SO_FAR_H

#include <cstdint>

#include "../runtime/communication.h"
#include "errors.h"

namespace rankwise::introspection {

struct SoFar {
  double seconds = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

// The ticks that this process has spent in MPI calls.
std::uint64_t ticks_in_mpi();
// Seconds per tick, from all the time since Rankwise was loaded.
double tick_seconds();

// `procedure`: its name, or one of the words of MPI_Monitoring.h for several.
Error so_far(Handle comm, const char *procedure, SoFar *totals);

}  // namespace rankwise::introspection

#endif
