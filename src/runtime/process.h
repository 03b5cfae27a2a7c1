// The process as a whole: its header in the counters file, from MPI_Init to MPI_Finalize.
#ifndef RANKWISE_PROCESS_H
#define RANKWISE_PROCESS_H

#include <cstdint>

#include "clock.h"
#include "format.h"
#include "thread.h"

namespace rankwise::process {

// Before the program's MPI_Init runs: creates the counters file. False (reported once) if nothing can be recorded.
bool load(rankwise_abi abi);

// MPI's properties once it is initialised.
struct World {
  int rank;
  int size;
  int thread_level;     // 0 single ... 3 multiple, -1 unknown
  const char *library;  // of MPI_Get_library_version
};

// MPI_Init or the first MPI_Session_init has returned: recording starts.
void start(const World &world);

// Additional data from MPI_Init if a session came first.
void set_thread_level(int level);

// The program calls MPI_Finalize or finalises its last session, and that has returned.
void stopping();
void stopped();

// A call of the program is over: the program's calls inside MPI_Finalize belong to its run.
void still_running();

// It wasn't the end: the call failed, or the program has opened another session.
void start_again();

// MPI_Init has failed: nothing will be counted.
void given_up();

void aborting(int code);

// Nanoseconds of processor time of Rankwise's own work at start and stop.
void add_setup_cost(std::uint64_t ns);
void add_finish_cost(std::uint64_t ns);

// Measured costs of booking one call, of a frequent one and of the others, in ticks / 1000.
void set_call_costs(std::uint64_t frequent, std::uint64_t other);

// MPI_Pcontrol(0) and (1): calls are not booked while paused; communicators are still named.
inline bool paused = false;
void pause();
void resume();

// Nothing more is recorded; existing counts stay.
void switch_off();

// Ticks from one heartbeat to the next: a quarter of a second.
std::uint64_t quarter_second();

// Renews the heartbeat when the last one is old; call with the time of every call's end.
inline std::uint64_t next_heartbeat = ~0ULL;
void heartbeat();
inline void alive_at(std::uint64_t ticks) {
  if (ticks > __atomic_load_n(&next_heartbeat, __ATOMIC_RELAXED)) [[unlikely]] {
    heartbeat();
  }
}

}  // namespace rankwise::process

#endif
