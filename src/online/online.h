// Tuning while the program runs: its own calls are carried out by one algorithm after the other, below a stated cost.
#ifndef RANKWISE_ONLINE_ONLINE_H
#define RANKWISE_ONLINE_ONLINE_H

#include <cstdint>

#include "communicators.h"
#include "plan.h"

namespace rankwise::online {

// After MPI_Init. `caller`: an address in the program.
void begin(void *caller, bool has_many_threads);

// Before MPI_Finalize.
void end();

// A call of the program, before and after.
struct Call {
  Communicator *comm;
  Cell *cell;  // nullptr: nothing is tried with it
  int arm;
  Word target;  // the communicator that carries it out
};
Call before(Collective collective, Word comm, std::int64_t bytes, bool is_in_place, bool is_in_order);

// Returns what the program gets to see.
int after(const Call &call, std::int64_t begin_ns, std::int64_t end_ns, int result);

bool is_active();

}  // namespace rankwise::online

#endif
