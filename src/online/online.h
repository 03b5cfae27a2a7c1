// Tuning while the program runs: its own calls are carried out by one algorithm after the other, below a stated cost.
#ifndef RANKWISE_ONLINE_ONLINE_H
#define RANKWISE_ONLINE_ONLINE_H

#include <cstdint>

#include "communicators.h"
#include "plan.h"

namespace rankwise::online {

// Call after MPI_Init. `caller`: an address in the program.
void begin(void *caller, bool has_many_threads);

// Call before MPI_Finalize.
void end();

// Call these before and after a call of the program.
struct Call {
  Communicator *comm;
  Cell *cell;  // nullptr: the call is not part of a trial
  int arm;
  Word target;  // the communicator that carries it out
};
Call before(Collective collective, Word comm, std::int64_t bytes, bool is_in_place, bool is_in_order);

// Returns the result for the program.
int after(const Call &call, std::int64_t begin_ns, std::int64_t end_ns, int result);

bool is_active();

}  // namespace rankwise::online

#endif
