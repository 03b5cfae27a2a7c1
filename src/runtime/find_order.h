// Which rank each process of a communicator should have: from what ranks send each other and where the processes are.
// What the wrappers and the MPI_M_ functions ask; src/reordering answers.
#ifndef RANKWISE_FIND_ORDER_H
#define RANKWISE_FIND_ORDER_H

#include "communication.h"
#include "rankwise/placement.h"

namespace rankwise::reordering {

enum class Outcome {
  reordered,
  kept,   // nothing is cheaper than the present order
  failed  // `problem` says why; the present order
};

// The same on all processes.
struct Order {
  Outcome outcome = Outcome::failed;
  // [size of the communicator], malloc'ed, by present rank: the rank that the process is to have. With fewer roles than
  // processes, those without a role have the last ranks, in their present order. nullptr if there is no memory.
  int *new_rank = nullptr;
  double before = 0;  // cost of the present order, byte hops
  double after = 0;
  bool machine_is_bad = false;  // failed, because of the machine.json
  char problem[512] = "";
};

// Collective. Role r is what the process with rank r does; `traffic` is what roles send each other, on rank 0 alone
// (else nullptr), traffic->ranks <= size; with nullptr on rank 0 the outcome is `failed`. `copy` is a communicator of
// our own with the processes in question. `machine`: path of a machine.json that rank 0 can read; nullptr: what the
// processes' nodes tell themselves.
Order find_order(const Communication &mpi, Handle copy, int rank, int size, const rankwise_traffic *traffic,
                 const char *machine);

}  // namespace rankwise::reordering

#endif
